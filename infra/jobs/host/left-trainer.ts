// A trainer whose wrapper is gone. Without waiting, because the queue of GPUs asks within its transaction.
import { readFileSync } from 'node:fs';
import { isAlive } from '../../process/identity.ts';
import { killGroup } from '../../process/kill-group.ts';
import { claimFolder, processSchema } from '../claim-folder.ts';

/** True while the trainer of this claim's folder lives; it is then sent SIGKILL. */
export function killLeftTrainer(folder: string): boolean {
  let text: string;
  try {
    text = readFileSync(claimFolder(folder).trainer, 'utf8');
  } catch {
    // None was started, or the folder is gone with all that it had.
    return false;
  }
  const { pid, identity } = processSchema.parse(JSON.parse(text));
  if (!isAlive(pid, identity)) return false;
  killGroup(pid, 'SIGKILL');
  return true;
}
