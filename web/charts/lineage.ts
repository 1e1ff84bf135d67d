// The lineage of policies: every branch starts from its generation's incumbent, and at most one is promoted.
import type { ReportBranch, ReportGeneration, ReportModel } from '../report-model.ts';
import type { Markup } from '../html.ts';
import { element, svg, text } from '../svg.ts';

const box = { width: 176, height: 44, gapX: 56, gapY: 12, margin: 8 };

interface Box {
  readonly x: number;
  readonly y: number;
}

interface Incumbent {
  readonly name: string;
  readonly at: Box;
}

export function lineageChart(model: ReportModel): Markup | null {
  const start = model.lineage[0];
  if (!start) return null;
  const columns = model.generations.filter(({ branches }) => branches.length > 0);
  const rows = Math.max(1, ...columns.map(rowsOf));
  const height = rows * (box.height + box.gapY) + 2 * box.margin + 16;
  let incumbent: Incumbent = {
    name: 'warm start',
    at: { x: box.margin, y: height / 2 - box.height / 2 },
  };
  const edges: Markup[] = [];
  const nodes = [
    drawBox(incumbent.at, incumbent.name, scoreText(start.candidate.selectMean), 'promote', ''),
  ];
  for (const [column, generation] of columns.entries()) {
    const x = box.margin + (column + 1) * (box.width + box.gapX);
    const drawn = drawGeneration(generation, incumbent, x, height);
    edges.push(...drawn.edges);
    nodes.push(...drawn.nodes);
    ({ incumbent } = drawn);
  }
  const width = 2 * box.margin + (columns.length + 1) * (box.width + box.gapX);
  return svg(width, height, 'Lineage of policies', ...edges, ...nodes);
}

const isPromoted = ({ decision }: ReportBranch): boolean => decision?.decision === 'promote';

/** An incumbent that remains gets its own row, where the next generation's lines start. */
const rowsOf = ({ branches }: ReportGeneration): number =>
  branches.length + (branches.some(isPromoted) ? 0 : 1);

function drawGeneration(
  generation: ReportGeneration,
  incumbent: Incumbent,
  x: number,
  height: number,
): { edges: Markup[]; nodes: Markup[]; incumbent: Incumbent } {
  const rows = rowsOf(generation);
  const boxes = generation.branches.map((branch, row) => ({
    branch,
    at: { x, y: rowTop(row, rows, height) },
  }));
  const edges = boxes.map(({ branch, at }) =>
    edge(incumbent.at, at, branch.decision?.decision ?? 'undecided'),
  );
  const head = text(x, 12, `generation ${generation.generation}`, { class: 'label strong' });
  const nodes = [head, ...boxes.map(({ branch, at }) => drawBranch(branch, at))];
  const next = boxes.find(({ branch }) => isPromoted(branch));
  if (next) {
    const name = `${next.branch.branch} of generation ${generation.generation}`;
    return { edges, nodes, incumbent: { name, at: next.at } };
  }
  const at = { x, y: rowTop(rows - 1, rows, height) };
  return {
    edges: [...edges, edge(incumbent.at, at, 'promote')],
    nodes: [...nodes, drawBox(at, 'incumbent remains', incumbent.name, 'held', '')],
    incumbent: { ...incumbent, at },
  };
}

const rowTop = (row: number, rows: number, height: number): number =>
  8 + height / 2 + (row - rows / 2) * (box.height + box.gapY) + box.gapY / 2;

const scoreText = (score: number | null | undefined): string =>
  score == null ? 'not measured' : `SELECT ${score.toFixed(3)}`;

function drawBranch({ branch, intervention, selectMean, decision }: ReportBranch, at: Box): Markup {
  const fate = decision?.decision ?? 'undecided';
  const name = `${branch} ${intervention?.operator ?? 'control'}`;
  return drawBox(at, name, `${scoreText(selectMean)} · ${fate}`, fate, decision?.why ?? '');
}

function drawBox({ x, y }: Box, head: string, line: string, fate: string, why: string): Markup {
  const { width, height } = box;
  const shown = head.length > 26 ? `${head.slice(0, 25)}…` : head;
  return element(
    'g',
    {},
    element('title', {}, `${head}: ${why}`),
    element('rect', { class: `node ${fate}`, x, y, width, height, rx: 6 }),
    text(x + 10, y + 18, shown, { class: 'label strong' }),
    text(x + 10, y + 34, line, { class: 'label' }),
  );
}

function edge(from: Box, to: Box, fate: string): Markup {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  const path = `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  return element('path', { class: `edge ${fate}`, d: path });
}
