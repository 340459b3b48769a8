// The last minutes of acceleration, moving with time: one line an axis.
const keep = 185, axes = ["x", "y", "z"];

export class Trace {
  constructor(canvas, table, details) {
    Object.assign(this, { canvas, table, details, seconds: 10, hop: 1.5, offset: null, frame: null, rate: 50, drawn: 0 });
    this.clear();
    for (const button of canvas.parentElement.querySelectorAll("[data-seconds]")) {
      button.addEventListener("click", () => {
        this.seconds = Number(button.dataset.seconds);
        for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
        this.draw();
      });
    }
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.rows = axes.map(axis => {
      const row = table.insertRow();
      row.insertCell().textContent = axis;
      return [0, 1, 2].map(() => Object.assign(row.insertCell(), { className: "number" }));
    });
  }

  /** Nothing that was there goes on. */
  clear() {
    // A ring: seconds, and g of each axis.
    this.count = this.next = 0;
    this.offset = null;
    const size = Math.ceil(keep * this.rate);
    this.times = new Float64Array(size);
    this.values = axes.map(() => new Float32Array(size));
    this.stop();
    this.draw();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  take(event) {
    const rate = event.rate / 1000, count = event.xyz.length / 3, first = event.time / 1e9, length = this.times.length;
    if (rate !== this.rate) {
      this.rate = rate;
      return this.clear();
    }
    for (let i = 0; i < count; i++) {
      this.times[this.next] = first + i / rate;
      axes.forEach((_, axis) => { this.values[axis][this.next] = event.xyz[3 * i + axis] / 4096; });
      this.next = (this.next + 1) % length;
      this.count = Math.min(length, this.count + 1);
    }
    // A block is shown while the next one comes: the line moves on evenly.
    const end = first + count / rate, offset = performance.now() / 1000 - end;
    this.hop = count / rate + 0.3;
    if (this.offset == null || offset < this.offset || offset > this.offset + this.hop) this.offset = offset; else this.offset += (offset - this.offset) / 50;
    if (this.frame == null) this.frame = requestAnimationFrame(() => this.move());
    this.showNumbers();
  }

  move() {
    this.frame = document.hidden ? null : requestAnimationFrame(() => this.move());
    const time = performance.now();
    if (this.calm.matches && time - this.drawn < 1000) return;
    this.drawn = time;
    this.draw();
  }

  /** Samples before `edge`, the newest first. */
  *before(edge, seconds) {
    const length = this.times.length;
    for (let i = 1; i <= this.count; i++) {
      const at = (this.next - i + length) % length, age = edge - this.times[at];
      if (age > seconds) return;
      if (age >= 0) yield [at, age];
    }
  }

  draw() {
    const { canvas } = this, scale = devicePixelRatio || 1, width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d"), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    context.clearRect(0, 0, width, height);
    const edge = this.offset == null ? null : performance.now() / 1000 - this.offset - this.hop;
    const places = edge == null ? [] : [...this.before(edge, this.seconds)];
    // A blow has more than a step.
    let most = 2;
    for (const [at] of places) for (const values of this.values) most = Math.max(most, Math.abs(values[at]));
    const reach = 1.1 * most, y = g => height / 2 - g / reach * height / 2, lines = most > 4 ? [-8, -4, 0, 4, 8] : [-2, -1, 0, 1, 2];
    context.strokeStyle = context.fillStyle = dark ? "#aaa" : "#666";
    context.font = 11 * scale + "px system-ui, sans-serif";
    context.lineWidth = scale / 2;
    for (const g of lines) {
      context.globalAlpha = 0.35;
      context.beginPath();
      context.moveTo(0, y(g));
      context.lineTo(width, y(g));
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(g + " g", 2 * scale, y(g) - 2 * scale);
    }
    if (edge == null) return;
    const colours = dark ? ["#58a6ff", "#ffa657", "#7ee787"] : ["#0b5cad", "#b04a00", "#1a7f37"];
    const columns = Math.max(1, Math.round(width / scale)), perColumn = this.seconds * this.rate / columns;
    context.lineWidth = 1.5 * scale;
    axes.forEach((name, axis) => {
      context.strokeStyle = context.fillStyle = colours[axis];
      context.beginPath();
      const values = this.values[axis];
      if (perColumn <= 2) {
        places.forEach(([at, age], i) => context[i ? "lineTo" : "moveTo"](width * (1 - age / this.seconds), y(values[at])));
      } else {
        // Least and most of each column of pixels: a minute has more samples than that.
        let column = -1, least = 0, highest = 0;
        const flush = () => { if (column >= 0) { context.lineTo(width - column * scale, y(highest)); context.lineTo(width - column * scale, y(least)); } };
        for (const [at, age] of places) {
          const here = Math.floor(age / this.seconds * columns), value = values[at];
          if (here !== column) {
            flush();
            [column, least, highest] = [here, value, value];
          } else {
            least = Math.min(least, value);
            highest = Math.max(highest, value);
          }
        }
        flush();
      }
      context.stroke();
      context.fillText(name, width - 14 * scale, (14 + 14 * axis) * scale);
    });
  }

  // Of the last ten seconds, for who does not see the lines.
  showNumbers() {
    if (!this.details.open) return;
    const latest = this.times[(this.next - 1 + this.times.length) % this.times.length];
    const places = [...this.before(latest, 10)];
    this.rows.forEach((cells, axis) => {
      const values = places.map(([at]) => this.values[axis][at]);
      if (!values.length) return;
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      [mean, Math.min(...values), Math.max(...values)].forEach((value, i) => { cells[i].textContent = value.toFixed(2) + " g"; });
    });
  }
}
