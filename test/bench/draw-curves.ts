/** One curve: what it shows, and its points. */
export interface Panel {
  readonly title: string;
}

export interface Curve extends Panel {
  /** From the smallest number of documents to the largest. */
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

const columns = 2;
const panel = { width: 430, height: 170 };
/** The field of a curve within its panel. */
const field = { left: 24, top: 40, right: 406, bottom: 138 };

/** Small pictures beside each other: documents on a logarithmic scale, values from zero on. @returns an SVG image */
export function drawCurves(curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / columns);
  const [width, height] = [columns * panel.width, rows * panel.height];
  const parts = curves.map((curve, index) => {
    const x = (index % columns) * panel.width;
    const y = Math.floor(index / columns) * panel.height;
    return `<g transform="translate(${x} ${y})">\n${drawCurve(curve)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function drawCurve({ title, points }: Curve): string {
  const most = Math.max(...points.map(({ value }) => value));
  const decades = Math.max(1, points.length - 1);
  const placed = points.map(({ at, value }, index) => ({
    at,
    value,
    x: field.left + 20 + ((field.right - field.left - 40) * index) / decades,
    y: field.bottom - ((field.bottom - field.top - 14) * value) / most,
  }));
  const line = placed.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return [
    `<text x="${field.left}" y="20" fill="#1b1b1b" font-weight="600">${title}</text>`,
    `<line x1="${field.left}" y1="${field.bottom}" x2="${field.right}" y2="${field.bottom}" stroke="#999"/>`,
    `<polyline points="${line}" fill="none" stroke="#2458a6" stroke-width="2"/>`,
    ...placed.flatMap(({ at, value, x, y }) => [
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="#2458a6"/>`,
      `<text x="${x.toFixed(1)}" y="${(y - 8).toFixed(1)}" text-anchor="middle" fill="#1b1b1b">${shown(value)}</text>`,
      `<text x="${x.toFixed(1)}" y="${field.bottom + 16}" text-anchor="middle" fill="#555">${at.toLocaleString('en')}</text>`,
    ]),
  ].join('\n');
}

const shown = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2));
