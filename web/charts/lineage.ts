// Who came from whom: every branch starts at its generation's incumbent, and at most one becomes the next.
import type { ReportBranch, ReportModel } from '../report-model.ts';
import { element, escapeText, svg, text } from '../svg.ts';

const box = { width: 176, height: 44, gapX: 56, gapY: 12, margin: 8 };

interface Box {
  readonly x: number;
  readonly y: number;
}

export function lineageChart(model: ReportModel): string {
  const start = model.lineage[0];
  if (!start) return '';
  const rows = Math.max(1, ...model.generations.map(({ branches }) => branches.length));
  const height = rows * (box.height + box.gapY) + 2 * box.margin + 16;
  const middle: Box = { x: box.margin, y: height / 2 - box.height / 2 };
  let incumbent = middle;
  const score = start.candidate.selectMean;
  const edges: string[] = [];
  const drawn = [drawBox(middle, 'warm start', scoreText(score), 'promote', 'the first incumbent')];
  const columns = model.generations.filter(({ branches }) => branches.length > 0);
  for (const [column, { generation, branches }] of columns.entries()) {
    const x = box.margin + (column + 1) * (box.width + box.gapX);
    const boxes = branches.map((branch, row) => ({
      branch,
      at: { x, y: rowTop(row, branches.length, height) },
    }));
    drawn.push(text(x, 12, `generation ${generation}`, { class: 'label strong' }));
    edges.push(
      ...boxes.map(({ branch, at }) => edge(incumbent, at, branch.decision?.decision ?? 'open')),
    );
    drawn.push(...boxes.map(({ branch, at }) => drawBranch(branch, at)));
    incumbent =
      boxes.find(({ branch }) => branch.decision?.decision === 'promote')?.at ?? incumbent;
  }
  const width = 2 * box.margin + (columns.length + 1) * (box.width + box.gapX);
  return svg(width, height, 'Lineage of policies', ...edges, ...drawn);
}

const rowTop = (row: number, rows: number, height: number): number =>
  8 + height / 2 + (row - rows / 2) * (box.height + box.gapY) + box.gapY / 2;

const scoreText = (score: number | null | undefined): string =>
  score == null ? 'not measured' : `SELECT ${score.toFixed(3)}`;

function drawBranch({ branch, intervention, selectMean, decision }: ReportBranch, at: Box): string {
  const fate = decision?.decision ?? 'open';
  const name = `${branch} ${intervention?.operator ?? 'control'}`;
  return drawBox(at, name, `${scoreText(selectMean)} · ${fate}`, fate, decision?.why ?? '');
}

function drawBox({ x, y }: Box, head: string, line: string, fate: string, why: string): string {
  const { width, height } = box;
  const shown = head.length > 26 ? `${head.slice(0, 25)}…` : head;
  return element(
    'g',
    {},
    element('title', {}, escapeText(`${head}: ${why}`)),
    element('rect', { class: `node ${fate}`, x, y, width, height, rx: 6 }),
    text(x + 10, y + 18, shown, { class: 'label strong' }),
    text(x + 10, y + 34, line, { class: 'label' }),
  );
}

function edge(from: Box, to: Box, fate: string): string {
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const bend = Math.max(20, (x2 - x1) / 2);
  const path = `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  return element('path', { class: `edge ${fate}`, d: path });
}
