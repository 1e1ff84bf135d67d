// One transcript for each bottleneck that a page shows at length, read while the page is there.
import type { CampaignArchive } from '../../cli/archive.ts';
import { bottleneckExamples } from '../parts/bottleneck.ts';
import { detailedGenerations } from '../parts/campaign-parts.ts';
import type { ReadTrajectory } from '../parts/transcript.ts';
import type { ReportModel } from '../report-model.ts';
import { TrajectoryReader } from './trajectory-reader.ts';

/** Of a group, its first trajectory. */
export class ExampleReader {
  readonly #archive: CampaignArchive;
  readonly #asked = new Set<string>();
  readonly #found = new Map<string, ReadTrajectory>();
  #isMore = false;

  constructor(archive: CampaignArchive) {
    this.#archive = archive;
  }

  /** By the id that the health report names. */
  get found(): ReadonlyMap<string, ReadTrajectory> {
    return this.#found;
  }

  /** True once after there is more. */
  takeNews(): boolean {
    const isMore = this.#isMore;
    this.#isMore = false;
    return isMore;
  }

  /** Starts to read what was not asked for. A page shows what cannot be read without it. */
  follow(report: ReportModel): void {
    for (const one of detailedGenerations(report)) {
      const [id] = bottleneckExamples(one);
      if (id === undefined || this.#asked.has(id)) continue;
      this.#asked.add(id);
      this.#read(report, one.generation, id).catch(() => undefined);
    }
  }

  async #read({ ledger }: ReportModel, generation: number, id: string): Promise<void> {
    // A long campaign has thousands of sets, and the example is in one of its own generation.
    const own = ledger.filter(
      ({ entry: { draft } }) => draft.generation === generation || draft.kind === 'calibrated',
    );
    const reader = new TrajectoryReader(this.#archive, own, new AbortController().signal);
    const read = (await reader.read(id)) ?? (await reader.read(await firstOf(reader, id)));
    if (read === null) return;
    const detectors = read.detectors.map(({ head, sql }) => ({ name: head.name, sql }));
    this.#found.set(id, { ...read, campaign: this.#archive.campaign, detectors });
    this.#isMore = true;
  }
}

async function firstOf(reader: TrajectoryReader, group: string): Promise<string> {
  const [member] = await reader.group(group);
  const id = member?.['trajectory_id'];
  return typeof id === 'string' ? id : '';
}
