// The notes of a config: read and checked before a campaign starts, then stored, so that it depends on no file of this
// machine and every answer from them can be computed again.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Store } from '../activities/ports/store.ts';
import { storeJson } from '../activities/shared/store-json.ts';
import { messageOf } from '../core/message-of.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import {
  NOTE_BYTES_MAX,
  NOTE_NAME_MAX,
  type Note,
  NOTES_BYTES_MAX,
  NOTES_MAX,
  type Notes,
  notesSchema,
} from '../core/schemas/notes.ts';
import { usageError } from './exit.ts';

const KINDS = ['.md', '.txt', '.tex'];
const SHOWN_MAX = 10;

/** Throws a usage error that names each note which cannot be read, with its cure. */
export async function checkNotes({ researcher }: CampaignConfig): Promise<void> {
  if (typeof researcher?.notes === 'string') await readNotes(researcher.notes);
}

/** The config with a reference to the stored notes in place of their folder. */
export async function stageNotes(config: CampaignConfig, open: Store): Promise<CampaignConfig> {
  const { researcher } = config;
  if (researcher === undefined || typeof researcher.notes !== 'string') return config;
  const stored = await storeJson(open, await readNotes(researcher.notes));
  const notes = { ...stored, root: 'open' as const };
  return { ...config, researcher: { ...researcher, notes } };
}

async function readNotes(folder: string): Promise<Notes> {
  const names = await namesIn(folder);
  const read = await Promise.all(names.map(async (name) => readNote(folder, name)));
  const faults = read.flatMap((one) => ('fault' in one ? [one.fault] : []));
  const notes = read.flatMap((one) => ('text' in one ? [one] : []));
  const bytes = notes.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (names.length === 0) faults.push(`${folder}: it has no note: put ${KINDS.join(', ')} there`);
  if (names.length > NOTES_MAX) {
    faults.push(`${folder}: ${names.length} notes, at most ${NOTES_MAX}: leave some out`);
  }
  if (bytes > NOTES_BYTES_MAX) {
    faults.push(`${folder}: ${bytes} bytes, at most ${NOTES_BYTES_MAX}: leave some out`);
  }
  if (faults.length > 0) {
    throw usageError(
      faults
        .slice(0, SHOWN_MAX)
        .map((one) => `researcher.notes: ${one}`)
        .join('\n'),
    );
  }
  return notesSchema.parse({ version: 1, notes });
}

/** Of all files but hidden ones, in an order that no machine changes. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((one) => !one.isDirectory())
      .map((one) => join(one.parentPath, one.name).slice(join(folder, '/').length))
      .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
      .toSorted();
  } catch (error) {
    throw usageError(
      `researcher.notes: ${folder} cannot be read (${messageOf(error)}): name a folder of notes`,
    );
  }
}

async function readNote(folder: string, name: string): Promise<Note | { readonly fault: string }> {
  const path = join(folder, name);
  const fault = (why: string) => ({ fault: `${path}: ${why}` });
  if (!KINDS.includes(extname(name).toLowerCase())) {
    return fault(`only ${KINDS.join(', ')} are read: convert it, for example by pdftotext`);
  }
  if (name.length > NOTE_NAME_MAX || /\p{Cc}/u.test(name)) {
    return fault(`its name is not one line of at most ${NOTE_NAME_MAX} characters: rename it`);
  }
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > NOTE_BYTES_MAX) {
      return fault(`${bytes.byteLength} bytes, at most ${NOTE_BYTES_MAX}: split it`);
    }
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return error instanceof TypeError
      ? fault('it is not UTF-8 text: convert it, for example by iconv')
      : fault(`it cannot be read (${messageOf(error)}): change its rights or leave it out`);
  }
}
