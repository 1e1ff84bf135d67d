import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../cli/load-config.ts';
import { stageTrainer } from '../../cli/stage-trainer.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'evo-trainer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const capabilities = (resumes: string) =>
  JSON.stringify({
    version: 1,
    trainer: 'toy',
    resumes,
    factors: { replay: { level: 'no', why: 'it has one loss' }, reward: { level: 'exact' } },
  });
const campaign = (trainer: string, optimizer = '') =>
  loadConfig(
    [
      write(
        'campaign.yaml',
        `name: mine\ndomain: math.chain\ntrainer: ${trainer}\n` +
          `recipe:\n  reward: { components: [{ feature: visible_pass, weight: 1 }] }\n${optimizer}`,
      ),
    ],
    [],
  );
const command = () => campaign(`{ type: command, command: [train], folder: . }`);

describe('the trainer of a campaign', () => {
  test('brings what it lacks, whether it repeats, and the digest of its files', async () => {
    write('capabilities.json', capabilities('same_distribution'));
    const { trainer } = await stageTrainer(command());
    expect(trainer).toMatchObject({
      repeatable: false,
      refused: [{ path: '/optimizer/replay', why: 'it has one loss' }],
      lock_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    write('train.py', 'print(1)\n');
    const changed = (await stageTrainer(command())).trainer;
    expect(changed).not.toEqual(trainer);
    write('capabilities.json', capabilities('same_bytes'));
    const here = command();
    expect((await stageTrainer(here)).trainer).toMatchObject({ repeatable: true });
    const resources = { gpus: 1, memory_gb: null, hours: null };
    const executor = { ...here.executor, resources } as typeof here.executor;
    const there = await stageTrainer({ ...here, executor });
    expect(there.trainer).toMatchObject({ repeatable: false });
  });

  test('is refused where the recipe needs what it lacks, with key and cure', async () => {
    write('capabilities.json', capabilities('same_bytes'));
    const replay = '  optimizer: { replay: { coef: 0.1, batch_size: 8 } }\n';
    const given = campaign('{ type: command, command: [train], folder: . }', replay);
    await expect(stageTrainer(given)).rejects.toThrow(
      'recipe.optimizer.replay: the trainer of this campaign has no /optimizer/replay: it has one loss; leave it out, or choose another trainer',
    );
  });

  test('is refused without a file that says what it can do', async () => {
    write('capabilities.json', '{ "version": 1 }');
    await expect(stageTrainer(command())).rejects.toThrow(
      /capabilities\.json: trainer: this key is missing/,
    );
    write('capabilities.json', '{');
    await expect(stageTrainer(command())).rejects.toThrow('capabilities.json is not JSON');
    rmSync(join(folder, 'capabilities.json'));
    await expect(stageTrainer(command())).rejects.toThrow('write what the trainer can do');
  });

  test('is left alone if it is ours', async () => {
    const ours = campaign('{ type: evotrainer }');
    expect(await stageTrainer(ours)).toEqual(ours);
  });
});
