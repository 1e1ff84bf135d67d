// Reads what a foreign trainer declares into the config: what it lacks, and the digest of its files.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hasGate } from '../core/arm.ts';
import { differsIn, lackingText, refusedSettings } from '../core/recipe/refused-settings.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { capabilitiesSchema } from '../core/schemas/capabilities.ts';
import { issueText, pathText } from '../core/schemas/issue-text.ts';
import { recipeSchema } from '../core/schemas/recipe.ts';
import type { TrainerConfig } from '../core/schemas/trainer-config.ts';
import { projectRoot } from '../workers/paths.ts';
import { usageError } from './exit.ts';
import { complain } from './terminal/printable.ts';
import { refuseShared } from './trainer-folder.ts';

const FILES_MAX = 5000;
/** A trainer is expected to train the default of what it lacks. */
const DEFAULTS = recipeSchema.parse({
  reward: { components: [{ feature: 'visible_pass', weight: 1 }] },
});

/** One seed decides nothing where a training that is repeated gives another policy. */
const NEVER_ADOPTS =
  'replicates.max: 1 trains no fresh seeds, and this trainer does not give the same policy twice here, so no change of the recipe is ever adopted: set replicates.max to 2 or more';

/** The config with the trainer's own words. Refuses a recipe that needs what the trainer lacks. */
export async function stageTrainer(config: CampaignConfig): Promise<CampaignConfig> {
  const { trainer, recipe } = config;
  const folder = trainerFolderOf(trainer);
  if (folder === null || trainer.type === 'evotrainer') return config;
  const capabilities = await readCapabilities(join(folder, 'capabilities.json'));
  const refused = refusedSettings(capabilities);
  const repeatable = capabilities.resumes === 'same_bytes' && !mayUseGpu(config.executor);
  const needed = refused.filter((setting) => differsIn(DEFAULTS, recipe, setting));
  if (needed.length > 0) {
    const lines = needed.map(
      (setting) =>
        `recipe${setting.path.replaceAll('/', '.')}: ${lackingText(setting)}; leave it out, or choose another trainer`,
    );
    throw usageError(lines.join('\n'));
  }
  if (!repeatable && config.replicates.max === 1 && hasGate(config.arm)) complain(NEVER_ADOPTS);
  if (trainer.type === 'command') await refuseShared(folder, config);
  const lock_sha256 = trainer.type === 'command' ? await digestFolder(folder) : null;
  return { ...config, trainer: { ...trainer, refused, repeatable, lock_sha256 } };
}

/**
 * No trainer repeats its bytes there: kernels add in another order, and engines batch by time. Nothing is known of other
 * machines, which may have a GPU whether jobs ask for one or not.
 */
const mayUseGpu = (executor: CampaignConfig['executor']): boolean =>
  executor.type !== 'local' || executor.gpus !== null;

/** The folder of a foreign trainer; null for our own. */
export function trainerFolderOf(trainer: TrainerConfig): string | null {
  if (trainer.type === 'evotrainer') return null;
  return trainer.type === 'command' ? trainer.folder : join(projectRoot, 'trainers', trainer.type);
}

async function readCapabilities(file: string) {
  const text = await readFile(file, 'utf8').catch(() => {
    throw usageError(
      `${file} cannot be read: write what the trainer can do, as docs/trainers.md describes`,
    );
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const parsed = capabilitiesSchema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (issue !== undefined || !parsed.success) {
    throw usageError(
      `${file}: ${issue ? `${pathText(issue.path)}: ${issueText(issue, value)}` : ''}`,
    );
  }
  return parsed.data;
}

/** sha256 over one line per file, `<sha256>  <path>`; hidden files and caches are left out. */
async function digestFolder(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw usageError(`trainer.folder: there is no folder ${folder}`);
  });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(\.|__pycache__|node_modules)/.test(path))
    .toSorted();
  if (paths.length > FILES_MAX) {
    throw usageError(
      `trainer.folder: ${folder} holds ${paths.length} files, at most ${FILES_MAX}: give the trainer a folder of its own`,
    );
  }
  const total = createHash('sha256');
  for (const path of paths) {
    const digest = createHash('sha256')
      .update(await readFile(join(folder, path)))
      .digest('hex');
    total.update(`${digest}  ${path}\n`);
  }
  return total.digest('hex');
}
