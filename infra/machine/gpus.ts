// The NVIDIA GPUs of this machine, numbered as nvidia-smi numbers them: by their place on the PCI bus.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Gpu {
  readonly id: number;
  /** Its device node. */
  readonly device: string;
  /** Null where only the device node is known. */
  readonly model: string | null;
  readonly driver: string | null;
}

interface Places {
  readonly devices: string;
  /** Where the driver describes each GPU. */
  readonly driver: string;
}

const PLACES: Places = { devices: '/dev', driver: '/proc/driver/nvidia/gpus' };
const QUERY = ['--query-gpu=index,uuid,driver_version,name', '--format=csv,noheader'];
/** A driver that hangs, or that loads its firmware for the first program. */
const ASK_MS_MAX = 30_000;
const FIELDS = /^(\d+), (\S+), ([^,]+), (.+)$/;

/** In order of their numbers; where nvidia-smi does not answer, as many as there are device nodes. */
export async function findGpus(places: Places = PLACES): Promise<Gpu[]> {
  const told = await askDriver();
  if (told.length === 0) return gpusOfDevices(places.devices);
  const minors = await readMinors(places.driver);
  return told.map(({ id, uuid, driver, model }) => {
    const device = join(places.devices, `nvidia${minors.get(uuid) ?? id}`);
    return { id, device, model, driver };
  });
}

async function askDriver() {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', QUERY, { timeout: ASK_MS_MAX });
    return stdout.split('\n').flatMap((line) => {
      const [, id, uuid, driver, model] = FIELDS.exec(line.trim()) ?? [];
      if (!id || !uuid || !driver || !model) return [];
      return [{ id: Number(id), uuid, driver, model }];
    });
  } catch {
    return [];
  }
}

async function gpusOfDevices(folder: string): Promise<Gpu[]> {
  const names = await readdir(folder).catch(() => []);
  const ids = names.flatMap((name) => /^nvidia(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return ids
    .toSorted((left, right) => left - right)
    .map((id) => ({ id, device: join(folder, `nvidia${id}`), model: null, driver: null }));
}

/** The number in a GPU's device node, by its UUID. It can differ from nvidia-smi's. */
async function readMinors(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const found = new Map<string, string>();
  for (const name of names) {
    const text = await readFile(join(folder, name, 'information'), 'utf8').catch(() => '');
    const uuid = /^GPU UUID:\s*(\S+)/m.exec(text)?.[1];
    const minor = /^Device Minor:\s*(\d+)/m.exec(text)?.[1];
    if (uuid !== undefined && minor !== undefined) found.set(uuid, minor);
  }
  return found;
}
