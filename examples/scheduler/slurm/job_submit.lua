-- Slurm's job_submit/lua: a job that declares its model is refused where that cannot fit the GPUs
-- it asks for.
--
--     sbatch --gres=gpu:8 --comment "gpuplan model=llama-3-8b gpu=H100 sequence=8192" job.sh
--     GPUPLAN="model=llama-3-8b gpu=H100 data=4 tensor=2 zero=1" sbatch --gres=gpu:8 job.sh
--
-- What is not declared of layout, ZeRO and recomputation is searched.  The job finds what fits in
-- its environment as GPUPLAN_FOUND ("data=8 zero=3 recompute=full"), and sbatch prints it.  Jobs
-- that declare nothing pass.  Put this file beside slurm.conf, and name the shared object here.

local gpuplan = assert(package.loadlib("@GPUPLAN_LUA@", "luaopen_gpuplan"))()

-- "gres:gpu:8", "gres/gpu=8", "gpu:a100:4": how many.
local function gpus_in(text)
  local count = 0
  for part in string.gmatch(text or "", "[^,]+") do
    if string.find(part, "gpu") then
      count = count + (tonumber(string.match(part, "(%d+)$")) or 1)
    end
  end
  return count
end

local function number(value, usual)  -- Slurm marks what is not given by values near 2^32
  if value == nil or value >= 4294967294 or value < 1 then return usual end
  return value
end

-- What a job declares, by its comment or else by its environment; nil where it declares nothing.
local function declaration_of(job)
  local declared = string.match(job.comment or "", "^gpuplan%s+(.*)$")
  if declared == nil and job.environment ~= nil then declared = job.environment["GPUPLAN"] end
  if declared == "" then return nil end
  return declared
end

function slurm_job_submit(job, partitions, uid)
  local declared = declaration_of(job)
  if declared == nil then return slurm.SUCCESS end

  local nodes = number(job.min_nodes, 1)
  local per_node = gpus_in(job.tres_per_node)
  local gpus = gpus_in(job.tres_per_job)
  if gpus == 0 then gpus = nodes * per_node end
  if gpus == 0 then
    slurm.log_user("gpuplan: a job that declares a model must ask for GPUs, as --gres=gpu:8")
    return slurm.ERROR
  end
  if per_node == 0 then per_node = math.ceil(gpus / nodes) end

  local code, words = gpuplan.admit(
    string.format("%s gpus=%d gpus_per_node=%d", declared, gpus, per_node))
  if code ~= 0 then
    slurm.log_user("gpuplan: %s", words)
    return slurm.ERROR
  end
  -- "data=8 zero=3; 8 of the 16 GPUs are idle", of which either part may be missing
  local found = string.match(words, "^[^;]*=[^;]*")
  local idle = string.match(words, "(%d[^;=]*idle)$")
  if found ~= nil then
    slurm.log_user("gpuplan: it fits with %s", found)
    if job.environment ~= nil then job.environment["GPUPLAN_FOUND"] = found end
  end
  if idle ~= nil then slurm.log_user("gpuplan: %s", idle) end
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, uid)
  return slurm.SUCCESS
end
