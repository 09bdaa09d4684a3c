// Interaction of the report page. Each view holds its data as JSON. Shapes are drawn already, except for scenes.
"use strict";

const svgSpace = "http://www.w3.org/2000/svg";
const finest = 1500; // minimum width of a mark: visible time / 1500
const digits = (value, count) =>
    Number(value.toPrecision(count)).toLocaleString("en", {maximumSignificantDigits: count});
const prefixes = {pJ: ["pJ", "nJ", "\u00b5J", "mJ", "J"], ns: ["ns", "\u00b5s", "ms", "s"], mW: ["mW", "W", "kW"]};

function quantity(value, base) {
    let place = 0;
    while (Math.abs(value) >= 1000 && place + 1 < prefixes[base].length) { value /= 1000; place += 1; }
    return digits(value, 4) + " " + prefixes[base][place];
}

function element(name, attributes, parent) {
    const made = document.createElementNS(svgSpace, name);
    for (const key in attributes) { made.setAttribute(key, attributes[key]); }
    parent.appendChild(made);
    return made;
}

// ---- charts over time with a common zoom ---------------------------------------------------------------------------

class Together {
    constructor(node) {
        this.node = node;
        this.end = Number(node.dataset.end);
        this.unit = Number(node.dataset.unit); // ns of a unit of the marks
        this.from = 0;
        this.to = this.end;
        this.at = this.end / 2;
        this.details = node.querySelector(".details");
        for (const button of node.querySelectorAll("[data-zoom]")) {
            button.addEventListener("click", () => this.zoom(button.dataset.zoom));
        }
    }

    zoom(how) {
        const width = this.to - this.from;
        if (how === "whole") { return this.show(0, this.end); }
        if (how === "left" || how === "right") {
            const way = how === "left" ? -Math.min(width / 2, this.from) : Math.min(width / 2, this.end - this.to);
            return this.show(this.from + way, this.to + way);
        }
        const wide = Math.min(this.end, width * (how === "in" ? 0.5 : 2));
        const from = Math.min(Math.max(this.at - wide / 2, 0), this.end - wide);
        this.show(from, from + wide);
    }

    show(from, to) {
        this.from = from;
        this.to = to;
        for (const lane of this.node.querySelectorAll("svg.time")) {
            const height = lane.getAttribute("viewBox").split(" ")[3];
            lane.setAttribute("viewBox", `${from} 0 ${to - from} ${height}`);
        }
        for (const mark of this.node.querySelectorAll("rect[data-w]")) {
            mark.setAttribute("width", Math.max(Number(mark.dataset.w), (to - from) / finest));
        }
        for (const axis of this.node.querySelectorAll(".axis")) {
            const ticks = axis.children;
            for (let place = 0; place < ticks.length; ++place) {
                const time = from + (to - from) * place / (ticks.length - 1);
                ticks[place].textContent = digits(time / Number(axis.dataset.divisor), 4);
            }
        }
    }

    /// Moves the cursors to a row, which starts at this time in ns, and scrolls it into view.
    mark(row, time, text) {
        const start = time / this.unit;
        this.at = start;
        this.node.classList.add("marked");
        for (const chosen of this.node.querySelectorAll("rect.chosen")) { chosen.classList.remove("chosen"); }
        for (const rect of this.node.querySelectorAll(`rect[data-r="${row}"]`)) { rect.classList.add("chosen"); }
        for (const cursor of this.node.querySelectorAll(".cursor")) {
            cursor.setAttribute("x1", start);
            cursor.setAttribute("x2", start);
        }
        if (start < this.from || start > this.to) {
            const width = this.to - this.from;
            const from = Math.min(Math.max(start - width / 2, 0), this.end - width);
            this.show(from, from + width);
        }
        this.details.textContent = text;
    }
}

// ---- the array and the components at one row ------------------------------------------------------------------------

/// Draws squares for every slab of a mesh or torus, or for every group of an array.
class FlatScene {
    constructor(node, array) {
        const space = array.kind !== "array";
        const [rows, columns] = space ? array.cubes : array.size;
        const groups = space ? array.cubes[2] : array.groups;
        const across = Math.ceil(Math.sqrt(groups * (rows / columns) * 1.6));
        const down = Math.ceil(groups / across);
        const width = across * (columns + 1), height = down * (rows + 1);
        this.svg = element("svg", {viewBox: `-0.5 -0.5 ${width} ${height}`, role: "img"}, node);
        this.squares = [];
        for (let group = 0; group < groups; ++group) {
            for (let row = 0; row < rows; ++row) {
                for (let column = 0; column < columns; ++column) {
                    const x = (group % across) * (columns + 1) + column;
                    const y = Math.floor(group / across) * (rows + 1) + row;
                    const square = element("rect", {x, y, width: 0.9, height: 0.9, class: "idle"}, this.svg);
                    this.squares.push({square, place: [row, column, group]});
                }
            }
        }
    }

    show(state) {
        for (const {square, place} of this.squares) {
            const sends = state.slab && place[state.slab[0]] === state.slab[1];
            square.setAttribute("class", sends ? "k1" : state.share > 0 ? "k0" : "idle");
            // From the colour of idle cells to that of work: an array that hardly works looks idle.
            square.style.fill = sends || state.share === 0 ? "" : `color-mix(in srgb, var(--c) ${100 * state.share}%, var(--empty))`;
        }
    }

    remove() { this.svg.remove(); }
}

class Activity {
    constructor(figure, together) {
        this.figure = figure;
        this.together = together;
        this.data = JSON.parse(figure.querySelector("script").textContent);
        this.slider = figure.querySelector("input");
        this.details = figure.querySelector(".details");
        this.bars = [...figure.querySelectorAll(".bar")];
        this.row = 0;
        this.timer = 0;
        this.flat = !this.inSpace() || typeof SpaceScene === "undefined";
        this.room = figure.querySelector(".scene");
        if (this.data.array === null) { this.room.remove(); }
        else if (this.flat) { this.stand(); }
        else { this.standWhenSeen(); }
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value), true));
        for (const button of figure.querySelectorAll("[data-walk]")) {
            if (button.dataset.walk === "flat" && this.flat) { button.remove(); }
            button.addEventListener("click", () => this.walk(button));
        }
        this.powers = Object.values(this.data.energy).map((energy) => energy.map((pj, row) => this.power(pj, row)));
        this.greatest = this.powers.map((power) => power.reduce((most, value) => Math.max(most, value), 0));
        this.show(this.first(), false);
    }

    inSpace() { return this.data.array !== null && this.data.array.kind !== "array"; }
    power(pj, row) { return this.data.duration[row] > 0 ? pj / this.data.duration[row] : 0; }
    /// The first row that multiplies.
    first() { return Math.max(this.data.macs.findIndex((count) => count > 0), 0); }

    stand() {
        if (this.scene) { this.scene.remove(); }
        this.scene = this.flat ? null : SpaceScene.make(this.room, this.data.array);
        if (this.scene === null) {
            if (!this.flat) { this.figure.querySelector("[data-walk=flat]").remove(); }
            this.flat = true;
            this.scene = new FlatScene(this.room, this.data.array);
        }
    }

    /// Browsers limit the number of 3D views: only visible ones exist.
    standWhenSeen() {
        this.room.classList.add("space");
        new IntersectionObserver((found) => {
            const seen = found[found.length - 1].isIntersecting;
            if (seen && !this.scene) {
                this.stand();
                this.show(this.row, false);
            } else if (!seen && this.scene && !this.flat) {
                this.scene.remove();
                this.scene = null;
            }
        }, {rootMargin: "200px"}).observe(this.room);
    }

    walk(button) {
        const how = button.dataset.walk;
        if (how === "flat") {
            this.flat = !this.flat;
            button.textContent = this.flat ? "in space" : "as slabs";
            this.stand();
            return this.show(this.row, false);
        }
        if (how === "play") {
            if (this.timer) { clearInterval(this.timer); this.timer = 0; }
            else { this.timer = setInterval(() => this.show((this.row + 1) % this.data.rows.length, true), 250); }
            button.textContent = this.timer ? "stop" : "play";
            return;
        }
        this.show(Math.min(Math.max(this.row + (how === "on" ? 1 : -1), 0), this.data.rows.length - 1), true);
    }

    /// State of a scene: the utilised share; cubes that send in a mesh; directions in which blocks roll in a torus.
    state() {
        const {array, share, slab, roll} = this.data;
        const found = {share: share[this.row], slab: null, roll: roll.length ? roll[this.row] : null};
        if (slab.length && slab[this.row][1] >= 0) {
            const mode = slab[this.row][0] - 1;
            found.slab = [mode, Math.floor(slab[this.row][1] * array.cubes[mode] / array.size[mode])];
        }
        return found;
    }

    text() {
        const data = this.data, row = this.row;
        const energy = Object.values(data.energy).reduce((sum, values) => sum + values[row], 0);
        const name = (data.perMark === 1 ? "row " : `${data.perMark} rows, mark `) + (data.rows[row] + 1);
        const cause = data.causes[data.cause[row]], phase = data.phases[data.phase[row]].replace(/_/g, " ");
        const job = data.jobs.length ? `${data.jobs[data.job[row]]}; ` : "";
        const cycles = Math.round(data.duration[row] / data.period);
        const driven = data.slab.length && data.slab[row][1] >= 0
            ? `; cells ${data.slab[row][1]} of mode ${data.slab[row][0]} send` : "";
        const rolled = data.roll.length && data.roll[row].some((words) => words > 0)
            ? `; words that roll along Q, R, S: ${data.roll[row].map((words) => digits(words, 6)).join(", ")}` : "";
        return `${name}: ${job}${cause === phase ? cause : `${cause}, ${phase}`}, from ${quantity(data.start[row], "ns")}, ` +
            `${digits(cycles, 9)} cycle${cycles === 1 ? "" : "s"}, ${digits(data.macs[row], 9)} MACs` +
            (data.macs[row] > 0 ? ` (${digits(100 * data.share[row], 3)} % of the array)` : "") +
            `${driven}${rolled}, ${quantity(energy, "pJ")}`;
    }

    show(row, marks) {
        this.row = row;
        this.slider.value = row;
        if (this.scene) { this.scene.show(this.state()); }
        this.bars.forEach((bar, place) => {
            const power = this.powers[place][row];
            bar.querySelector("rect").setAttribute("width", `${100 * power / (this.greatest[place] || 1)}%`);
            bar.querySelector(".value").textContent = this.data.duration[row] > 0 ? quantity(power, "mW") : "-";
        });
        this.details.textContent = this.text();
        if (marks && this.together) { this.together.mark(this.data.rows[row], this.data.start[row], this.text()); }
    }
}

function followClicks(section) {
    const node = section.querySelector(".together");
    const together = node ? new Together(node) : null;
    const views = [...section.querySelectorAll(".activity")].map((figure) => new Activity(figure, together));
    if (!node) { return; }
    node.addEventListener("click", (event) => {
        const mark = event.target.closest("rect.m");
        if (!mark) { return; }
        const row = Number(mark.dataset.r);
        const view = mark.dataset.r === undefined ? undefined : views.find((one) => one.data.rows.includes(row));
        if (view) { return view.show(view.data.rows.indexOf(row), true); }
        const start = Number(mark.getAttribute("x")) * together.unit;
        const lasted = Number(mark.dataset.w || mark.getAttribute("width")) * together.unit;
        const lane = mark.closest(".lane").querySelector(".name").textContent;
        together.mark(mark.dataset.r === undefined ? -1 : row, start, `${lane}: from ${quantity(start, "ns")}, for ${quantity(lasted, "ns")}`);
        mark.classList.add("chosen");
    });
}

// ---- bars and points ------------------------------------------------------------------------------------------------

/// A click on a bar shows all values relative to it; a second click shows the values again.
function followTable(figure) {
    const values = JSON.parse(figure.querySelector("script").textContent);
    const select = figure.querySelector("select"), bars = [...figure.querySelectorAll(".bar")];
    let base = -1;
    const draw = () => {
        const column = values[select.value].slice(0, bars.length);
        const most = column.reduce((found, value) => Math.max(found, value || 0), 0);
        bars.forEach((bar, row) => {
            const value = column[row], by = base < 0 ? 1 : column[base];
            bar.querySelector("rect").setAttribute("width", `${most > 0 ? 100 * Math.max(value || 0, 0) / most : 0}%`);
            bar.querySelector(".value").textContent =
                value === null || !by ? "-" : digits(value / by, base < 0 ? 6 : 4) + (base < 0 ? "" : " x");
            bar.classList.toggle("chosen", row === base);
        });
    };
    select.addEventListener("change", draw);
    bars.forEach((bar, row) => bar.addEventListener("click", () => { base = base === row ? -1 : row; draw(); }));
}

/// A click on a point highlights its table row: the one that it names, else the one with its index.
function followRoofline(figure) {
    const points = [...figure.querySelectorAll("svg .m")], rows = [...figure.querySelectorAll("tbody tr")];
    points.forEach((point, at) => point.addEventListener("click", () => {
        const place = point.dataset.row === undefined ? at : Number(point.dataset.row);
        for (const one of [...points, ...rows]) { one.classList.remove("chosen"); }
        point.classList.add("chosen");
        const folded = figure.querySelector("details");
        if (folded) { folded.open = true; }
        rows[place].classList.add("chosen");
    }));
}

document.querySelectorAll("section.run").forEach(followClicks);
document.querySelectorAll("figure.table").forEach(followTable);
document.querySelectorAll("figure.roofline").forEach(followRoofline);
