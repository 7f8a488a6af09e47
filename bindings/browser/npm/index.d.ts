/** A value of a field: in base units, or as the option takes it ("80GiB"). */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Fields of docs/json.md; those that are absent are as usual. */
export interface Fields {
  [key: string]: Value | undefined;
}

export type Question = "plan" | "fit" | "model" | "evaluate" | "scale" | "catalog";

export interface Request {
  question: Question;
  /** A name of the catalogue, or a config.json. */
  model?: string | Fields;
  cluster?: Fields | Fields[];
  recipe?: Fields;
  parallelism?: Fields;
  workspace?: Fields;
  /** All other options of the command line by their long names: { tokens: "1T" }. */
  options?: Fields;
  /** Of "evaluate": many at once. */
  requests?: Omit<Request, "question">[];
  /** Texts of files by name. */
  files?: { [name: string]: string };
}

/** What the program prints with --json; null is what is not known. */
export interface Answer {
  schema_version: number;
  fits?: boolean;
  fits_probability?: number | null;
  step_time_s?: number | null;
  step_time_low_s?: number | null;
  step_time_high_s?: number | null;
  mfu?: number | null;
  /** Of one of many: its number, from 1. */
  line?: number;
  /** Of one of many that cannot be answered, in the place of all else. */
  error?: Fault;
  [key: string]: any;
}

/** Why a request cannot be answered. */
export interface Fault {
  /** The line that the program prints. */
  readonly what: string;
  /** Where in the request: "cluster.gpu". */
  readonly where: string | null;
  readonly allowed: string | string[] | null;
  readonly did_you_mean: string[] | null;
  readonly exit_code: number;
}

/** What a request asks cannot be answered. */
export class RequestError extends Error implements Fault {
  readonly what: string;
  readonly where: string | null;
  readonly allowed: string | string[] | null;
  readonly did_you_mean: string[] | null;
  readonly exit_code: number;
}

export interface Planner {
  /** @throws RequestError */
  answer(request: Request & { requests: object[] }): Answer[];
  answer(request: Request): Answer;
}

/** The planner; `source` is the module, its bytes or its address, where it does not lie beside the package. */
export function load(
  source?: URL | string | BufferSource | Response | WebAssembly.Module,
): Promise<Planner>;
