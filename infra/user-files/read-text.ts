// Reads a text file that a user names: an ordinary file of bounded size, in UTF-8.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UserFault } from '../../core/user-fault.ts';
import { notAFile, whyUnreadable } from './file-kind.ts';

/** Far more than what people write by hand, and little enough to parse in a second. */
const BYTES_MAX = 1024 * 1024;

/** Throws UserFault. */
export function readUserText(path: string): string {
  const bytes = readBytes(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserFault(`${path} is not text in UTF-8: save it in that encoding`, { cause });
  }
}

function readBytes(path: string): Buffer {
  let file: number | null = null;
  try {
    // Without waiting for a writer, should it be a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const problem = notAFile(fstatSync(file));
    if (problem !== null) throw new UserFault(`${path} ${problem}`);
    const bytes = readAtMost(file, BYTES_MAX + 1);
    if (bytes.length <= BYTES_MAX) return bytes;
    throw new UserFault(`${path} is too long: such a file has at most ${BYTES_MAX} bytes`);
  } catch (cause) {
    if (cause instanceof UserFault) throw cause;
    throw new UserFault(whyUnreadable(path, cause), { cause });
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** A file can be longer than its size, without end in /proc. */
function readAtMost(file: number, bytesMax: number): Buffer {
  const bytes = Buffer.alloc(bytesMax);
  let length = 0;
  while (length < bytesMax) {
    const count = readSync(file, bytes, length, bytesMax - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
