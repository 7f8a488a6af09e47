-- Slurm's job_submit/lua: a job that declares its model is refused where that cannot fit the GPUs
-- it asks for.
--
--     sbatch --gres=gpu:8 --comment "gpuplan model=llama-3-8b gpu=H100 data=4 tensor=2" job.sh
--
-- Jobs that declare nothing pass. Put this file beside slurm.conf, and name the shared object here.

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

function slurm_job_submit(job, partitions, uid)
  local declared = string.match(job.comment or "", "^gpuplan%s+(.*)$")
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

  local code, reason = gpuplan.admit(
    string.format("%s gpus=%d gpus_per_node=%d", declared, gpus, per_node))
  if code == 0 then return slurm.SUCCESS end
  slurm.log_user("gpuplan: %s", reason)
  return slurm.ERROR
end

function slurm_job_modify(job, record, partitions, uid)
  return slurm.SUCCESS
end
