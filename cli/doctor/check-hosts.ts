// Whether the hosts of an ssh executor answer, hold the same EvoTrainer, and have what a job asks for.
import { ExecutorError } from '../../activities/ports/executor-error.ts';
import type { ExecutorConfig } from '../../core/schemas/executor-config.ts';
import type { HostConfig } from '../../core/schemas/executor-ssh.ts';
import { examineHosts } from '../../workers/compose-executor.ts';
import { bundledTrainerDigest } from '../../workers/compose-trainer.ts';
import type { RootsConfig } from '../../workers/compose.ts';
import type { Environment } from '../../workers/config.ts';
import { type Check, failed, good, warning } from './check.ts';

type SshConfig = Extract<ExecutorConfig, { type: 'ssh' }>;
type Seen = Awaited<ReturnType<typeof examineHosts>>[number]['seen'];

/** S3 refuses requests that are further off; a few seconds go into the asking itself. */
const CLOCK_MS_MAX = 60_000;
const FREE_GB_MIN = 10;

export async function checkHosts(
  executor: SshConfig,
  place: RootsConfig,
  environment: Environment,
): Promise<Check[]> {
  const [digest, answers] = await Promise.all([
    bundledTrainerDigest(),
    examineHosts(executor, place, environment),
  ]);
  return answers.flatMap(({ host, seen }) => hostChecks(host, seen, digest, Date.now()));
}

/** Everything that is wrong with one host, or one line that says what it has. `nowMs` is this machine's clock. */
export function hostChecks(host: HostConfig, seen: Seen, digest: string, nowMs: number): Check[] {
  const name = `host ${host.name}`;
  if (seen instanceof ExecutorError) return [failed(name, seen.message, cureOf(host, seen))];
  const found: Check[] = [];
  if (seen.trainer_digest !== digest) {
    const which = seen.trainer_digest?.slice(0, 12) ?? 'missing';
    const problem = `its trainer is ${which}, the one here ${digest.slice(0, 12)}`;
    const cure = `bring ${host.folder} there to this version: its jobs would be refused`;
    found.push(failed(name, problem, cure));
  } else if (!seen.trainer_ready) {
    found.push(
      failed(name, 'its trainer is not set up', `run npm run setup in ${host.folder} there`),
    );
  }
  if (seen.gpus < host.gpus) {
    const problem = `the file says gpus: ${host.gpus}, nvidia-smi there lists ${seen.gpus}`;
    found.push(failed(name, problem, 'correct `gpus` of that host, or mend its driver'));
  }
  if (host.memory_gb !== null && seen.memory_gb < host.memory_gb) {
    const problem = `the file says memory_gb: ${host.memory_gb}, it has ${seen.memory_gb.toFixed(1)}`;
    found.push(warning(name, problem, 'correct `memory_gb` of that host'));
  }
  if (seen.store_problem !== null) {
    const cure =
      'its jobs fetch and store there: mend network, address or credentials of that host';
    found.push(failed(name, `it cannot read the store: ${seen.store_problem}`, cure));
  }
  const aheadMs = seen.now_ms - nowMs;
  if (Math.abs(aheadMs) > CLOCK_MS_MAX) {
    const minutes = (Math.abs(aheadMs) / 60_000).toFixed(1);
    const problem = `its clock is ${minutes} min ${aheadMs > 0 ? 'ahead' : 'behind'}`;
    found.push(warning(name, problem, 'let it keep time by NTP: signed requests depend on it'));
  }
  if (seen.free_gb < FREE_GB_MIN) {
    const problem = `${seen.free_gb.toFixed(1)} GB free at ${host.folder}`;
    found.push(warning(name, problem, 'make room, or point `jobs_folder` to another disk'));
  }
  if (found.length > 0) return found;
  const { cores, memory_gb: memory, gpus } = seen;
  const has = `answers; ${cores} cores, ${memory.toFixed(0)} GB, ${gpus} GPUs, reads the store`;
  return [good(name, has)];
}

function cureOf(
  { address, name, port, user, folder }: HostConfig,
  { kind }: ExecutorError,
): string {
  const to = [user === null ? '' : `${user}@`, address ?? name].join('');
  const by = port === null ? '' : `-p ${port} `;
  return kind === 'unreachable'
    ? `try ssh ${by}${to} by hand as the user of the worker; is it on, its address right, its host key known?`
    : `is EvoTrainer in ${folder} there, set up, and \`node\` new enough?`;
}
