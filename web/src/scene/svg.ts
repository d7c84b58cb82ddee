/** A drawing as SVG: what `draw` asks of a canvas's context, with elements instead of pixels. */

/** What `draw` draws with. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "beginPath"
  | "clearRect"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "globalAlpha"
  | "lineTo"
  | "lineWidth"
  | "measureText"
  | "moveTo"
  | "restore"
  | "rotate"
  | "roundRect"
  | "save"
  | "setLineDash"
  | "stroke"
  | "strokeStyle"
  | "textAlign"
  | "translate"
>;

const ANCHORS: { [align: string]: string } = { center: "middle", right: "end" };

export class Svg implements Pen {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign: CanvasTextAlign = "left";
  private transform = "";
  private dash: number[] = [];
  private path = "";
  private readonly elements: string[] = [];
  private readonly before: object[] = [];

  /** `ruler` tells how wide a text is. */
  constructor(private readonly ruler: CanvasRenderingContext2D) {}

  /** The document: its title, its size [px] and the colour of its ground. */
  document(title: string, width: number, height: number, ground: string): string {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">`;
    return `${head}<title>${escaped(title)}</title><rect width="${width}" height="${height}" fill="${ground}"/>${this.elements.join("")}</svg>\n`;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, transform, dash } = this;
    this.before.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, transform, dash });
  }

  restore(): void {
    Object.assign(this, this.before.pop());
  }

  translate(x: number, y: number): void {
    this.transform += `translate(${short(x)} ${short(y)})`;
  }

  rotate(angle: number): void {
    this.transform += `rotate(${short((angle * 180) / Math.PI)})`;
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  clearRect(): void {
    this.elements.length = 0;
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `L${short(x)} ${short(y)}`;
  }

  /** A whole circle: nothing else is drawn. */
  arc(x: number, y: number, radius: number): void {
    const half = `a${short(radius)} ${short(radius)} 0 1 0`;
    this.path += `M${short(x - radius)} ${short(y)}${half} ${short(2 * radius)} 0${half} ${short(-2 * radius)} 0`;
  }

  roundRect(x: number, y: number, width: number, height: number, radius = 0): void {
    const [across, down] = [width - 2 * radius, height - 2 * radius];
    const corner = (dx: number, dy: number) => `a${radius} ${radius} 0 0 1 ${dx * radius} ${dy * radius}`;
    this.path += `M${short(x + radius)} ${short(y)}h${across}${corner(1, 1)}v${down}${corner(-1, 1)}h${-across}${corner(-1, -1)}v${-down}${corner(1, -1)}`;
  }

  fill(): void {
    this.add(`<path d="${this.path}" fill="${this.fillStyle}"`);
  }

  stroke(): void {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.add(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.add(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = ANCHORS[this.textAlign];
    this.add(
      `<text x="${short(x)}" y="${short(y)}" font-size="${Number.parseFloat(this.font)}" fill="${this.fillStyle}"${anchor ? ` text-anchor="${anchor}"` : ""}`,
      `>${escaped(text)}</text>`,
    );
  }

  measureText(text: string): TextMetrics {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  private add(begin: string, end = "/>"): void {
    const opacity = this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
    this.elements.push(`${begin}${opacity}${this.transform && ` transform="${this.transform}"`}${end}`);
  }
}

/** Hundredths of a pixel are enough. */
function short(number: number): number {
  return Math.round(number * 100) / 100;
}

/** Text of XML: what no document may have, such as most control characters, is left out. */
export function escaped(text: string): string {
  const allowed = text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
  return allowed.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
