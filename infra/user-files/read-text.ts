// Reads a text file that a user names: an ordinary file of bounded size, in UTF-8.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { UserFault } from '../../core/user-fault.ts';
import { notAFile, whyUnreadable } from './file-kind.ts';

/** Far more than what people write by hand, and little enough to parse in a second. */
const BYTES_MAX = 1024 * 1024;

/** Throws UserFault. */
export function readUserText(path: string, bytesMax = BYTES_MAX): string {
  const bytes = readBytes(path, bytesMax);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserFault(`${path} is not text in UTF-8: save it in that encoding`, { cause });
  }
}

function readBytes(path: string, bytesMax: number): Buffer {
  let file: number;
  try {
    // Without waiting for a writer, should it be a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new UserFault(whyUnreadable(path, cause), { cause });
  }
  try {
    const found = fstatSync(file);
    const problem = notAFile(found);
    if (problem !== null) throw new UserFault(`${path} ${problem}`);
    if (found.size > bytesMax) {
      throw new UserFault(`${path} has ${found.size} bytes; such a file has at most ${bytesMax}`);
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
