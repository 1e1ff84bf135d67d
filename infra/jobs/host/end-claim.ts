// Ends what is left of a claim on this machine when its wrapper is gone; started with the folder of the claim.
import { claimFolder } from '../claim-folder.ts';
import { endTrainer } from './end-processes.ts';

const [path = ''] = process.argv.slice(2);
await endTrainer(claimFolder(path));
