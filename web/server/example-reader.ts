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
    const ids = detailedGenerations(report).flatMap((one) => bottleneckExamples(one).slice(0, 1));
    const fresh = ids.filter((id) => !this.#asked.has(id));
    if (fresh.length === 0) return;
    const { signal } = new AbortController();
    const reader = new TrajectoryReader(this.#archive, report.ledger, signal);
    for (const id of fresh) {
      this.#asked.add(id);
      this.#read(reader, id).catch(() => undefined);
    }
  }

  async #read(reader: TrajectoryReader, id: string): Promise<void> {
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
