// A program named nvidia-smi and files of a driver, both made up: no GPU is needed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findGpus } from '../../../infra/machine/gpus.ts';

let folder = '';
const places = () => ({ devices: join(folder, 'dev'), driver: join(folder, 'driver') });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evo-gpus-'));
  for (const place of Object.values(places())) mkdirSync(place);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const say = (...lines: string[]): void =>
  writeFileSync(join(folder, 'nvidia-smi'), ['#!/bin/sh', ...lines].join('\n'), { mode: 0o700 });

function describeGpu(bus: string, uuid: string, minor: number): void {
  mkdirSync(join(places().driver, bus));
  const text = `Model: \t\t NVIDIA L4\nGPU UUID: \t ${uuid}\nDevice Minor: \t ${minor}\n`;
  writeFileSync(join(places().driver, bus, 'information'), text);
}

describe('the GPUs of a machine', () => {
  it('have model and driver from nvidia-smi, and the device node that the driver gave them', async () => {
    say("echo '0, GPU-aa, 570.86.15, NVIDIA L4'", "echo '1, GPU-bb, 570.86.15, NVIDIA L40S'");
    describeGpu('0000:01:00.0', 'GPU-aa', 1);
    describeGpu('0000:65:00.0', 'GPU-bb', 0);
    const { devices } = places();
    const driver = '570.86.15';
    expect(await findGpus(places())).toEqual([
      { id: 0, device: join(devices, 'nvidia1'), model: 'NVIDIA L4', driver },
      { id: 1, device: join(devices, 'nvidia0'), model: 'NVIDIA L40S', driver },
    ]);
  });

  const fail = (): void =>
    say("echo 'NVIDIA-SMI has failed because it could not talk to the driver'", 'exit 9');
  const addNodes = (...names: string[]): void => {
    for (const name of names) writeFileSync(join(places().devices, name), '');
  };

  it('keep their numbers while nvidia-smi fails, by their places on the bus', async () => {
    describeGpu('0000:65:00.0', 'GPU-bb', 0);
    describeGpu('0000:01:00.0', 'GPU-aa', 1);
    fail();
    const numbered = [
      { id: 0, device: join(places().devices, 'nvidia1'), model: 'NVIDIA L4', driver: null },
      { id: 1, device: join(places().devices, 'nvidia0'), model: 'NVIDIA L4', driver: null },
    ];
    expect(await findGpus(places())).toEqual(numbered);
  });

  it('are not known where nvidia-smi fails and the driver tells nothing', async () => {
    fail();
    addNodes('nvidia0', 'nvidiactl');
    expect(await findGpus(places())).toBeNull();
  });

  it('are counted by their device nodes on a machine without nvidia-smi', async () => {
    vi.stubEnv('PATH', folder);
    addNodes('nvidia10', 'nvidia2', 'nvidiactl', 'nvidia-uvm');
    const found = await findGpus(places());
    expect(found?.map(({ id }) => id)).toEqual([2, 10]);
    expect(found?.[0]).toMatchObject({ model: null, driver: null });
  });

  it('are none on a machine without a driver', async () => {
    say("echo 'No devices were found'");
    expect(await findGpus(places())).toEqual([]);
  });
});
