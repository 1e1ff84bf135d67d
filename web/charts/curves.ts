// Training curves of a generation: reward and training-hidden score of each branch by optimizer step.
import type { CurvePoint, ReportGeneration } from '../report-model.ts';
import type { Markup } from '../html.ts';
import { element, linearScale, linePath, type Scale, svg, text } from '../svg.ts';

const size = { width: 268, height: 170, left: 34, right: 8, top: 24, bottom: 26 };

/** One small plot per branch, all on the same scale. */
export function curveCharts({ branches }: ReportGeneration): Markup[] {
  const curves = branches.filter(({ curve }) => curve.length > 0);
  const points = curves.flatMap(({ curve }) => curve);
  const values = points
    .flatMap(({ reward, hidden }) => [reward, hidden])
    .filter((one) => one !== null);
  if (values.length === 0) return [];
  const steps = Math.max(...points.map(({ step }) => step));
  const x = linearScale([0, steps], [size.left, size.width - size.right], 4);
  const y = linearScale(
    [Math.min(0, ...values), Math.max(...values)],
    [size.height - size.bottom, size.top],
    4,
  );
  return curves.map(({ branch, intervention, curve }) =>
    drawCurves(`${branch} ${intervention?.operator ?? 'control'}`, curve, x, y),
  );
}

function drawCurves(title: string, curve: readonly CurvePoint[], x: Scale, y: Scale): Markup {
  const path = (value: (point: CurvePoint) => number | null): string =>
    linePath(
      curve.map((point) => {
        const own = value(point);
        return own === null ? null : ([x(point.step), y(own)] as const);
      }),
    );
  return svg(
    size.width,
    size.height,
    `Training curve of ${title}`,
    text(size.left, 14, title, { class: 'label strong' }),
    ...y.ticks.flatMap((tick) => [
      element('line', {
        class: 'grid',
        x1: size.left,
        x2: size.width - size.right,
        y1: y(tick),
        y2: y(tick),
      }),
      text(size.left - 6, y(tick) + 4, String(tick), { class: 'label', 'text-anchor': 'end' }),
    ]),
    ...x.ticks.map((tick) =>
      text(x(tick), size.height - 10, String(tick), { class: 'label', 'text-anchor': 'middle' }),
    ),
    element('path', { class: 'line hidden-score', d: path(({ hidden }) => hidden) }),
    element('path', { class: 'line paid', d: path(({ reward }) => reward) }),
  );
}
