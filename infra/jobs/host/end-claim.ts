// Ends the trainer of a claim on this machine after its wrapper died. Argument: the folder of the claim.
import { claimFolder } from '../claim-folder.ts';
import { endTrainer } from './end-processes.ts';

const [path = ''] = process.argv.slice(2);
await endTrainer(claimFolder(path));
