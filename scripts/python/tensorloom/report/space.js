// A mesh of cells or a torus of nodes in 3D, with three.js. Drawn on changes only.
"use strict";

class SpaceScene {
    /// Returns null without WebGL, checked first because three.js would log an error. Slow.
    static make(node, array) {
        const canvas = document.createElement("canvas");
        const context = canvas.getContext("webgl", {alpha: true, antialias: true, preserveDrawingBuffer: true});
        if (context === null) { return null; }
        node.appendChild(canvas);
        return new SpaceScene(canvas, context, array);
    }

    constructor(canvas, context, array) {
        this.array = array;
        this.canvas = canvas;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `${array.kind} of ${array.size.join(" x ")}`);
        this.renderer = new THREE.WebGLRenderer({canvas: this.canvas, context, alpha: true});
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(35, 1, 0.1, 500);
        this.scene.add(new THREE.AmbientLight(0xffffff, 0.75));
        const sun = new THREE.DirectionalLight(0xffffff, 0.45);
        sun.position.set(2, 3, 1.5);
        this.scene.add(sun);
        this.turn = {around: 0.7, above: 0.5};
        this.distance = 1.6 * Math.hypot(...array.cubes);
        this.build();
        this.follow();
        this.watcher = new ResizeObserver(() => this.draw());
        this.watcher.observe(this.canvas);
    }

    /// Coordinates of an array position: mode 1 down, mode 2 to the right, mode 3 into the depth.
    at(place) {
        const middle = this.array.cubes.map((count) => (count - 1) / 2);
        return [place[1] - middle[1], middle[0] - place[0], middle[2] - place[2]];
    }

    /// Builds two sets of cubes, senders and others; show() puts each cube in one of them.
    build() {
        const count = this.array.cubes.reduce((product, size) => product * size, 1);
        const side = this.array.kind === "torus" ? 0.34 : 0.62;
        const shape = () => new THREE.BoxBufferGeometry(side, side, side); // one per set: shared shapes share positions
        const clear = {color: 0xd55e00, transparent: true, depthWrite: false};
        this.others = new THREE.InstancedMesh(shape(), new THREE.MeshLambertMaterial(clear), count);
        this.senders = new THREE.InstancedMesh(shape(), new THREE.MeshLambertMaterial({color: 0x3d9bdc}), count);
        for (const cubes of [this.others, this.senders]) {
            cubes.frustumCulled = false;
            this.scene.add(cubes);
        }
        this.lines = this.array.kind === "torus" ? [0, 1, 2].map((mode) => this.links(mode)) : [];
    }

    /// Draws the links between neighbours along a mode, without those that close the rings.
    links(mode) {
        const points = [], size = this.array.cubes, place = [0, 0, 0];
        for (place[0] = 0; place[0] < size[0]; ++place[0]) {
            for (place[1] = 0; place[1] < size[1]; ++place[1]) {
                for (place[2] = 0; place[2] < size[2]; ++place[2]) {
                    if (place[mode] + 1 === size[mode]) { continue; }
                    const next = place.slice();
                    next[mode] += 1;
                    points.push(...this.at(place), ...this.at(next));
                }
            }
        }
        const shape = new THREE.BufferGeometry();
        shape.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
        const drawn = new THREE.LineSegments(shape, new THREE.LineBasicMaterial({color: 0x8a959e}));
        this.scene.add(drawn);
        return drawn;
    }

    show(state) {
        const size = this.array.cubes, place = [0, 0, 0], moved = new THREE.Matrix4();
        let others = 0, senders = 0;
        for (place[0] = 0; place[0] < size[0]; ++place[0]) {
            for (place[1] = 0; place[1] < size[1]; ++place[1]) {
                for (place[2] = 0; place[2] < size[2]; ++place[2]) {
                    moved.setPosition(...this.at(place));
                    const sends = state.slab && place[state.slab[0]] === state.slab[1];
                    if (sends) { this.senders.setMatrixAt(senders++, moved); }
                    else { this.others.setMatrixAt(others++, moved); }
                }
            }
        }
        this.others.count = others;
        this.senders.count = senders;
        this.others.instanceMatrix.needsUpdate = this.senders.instanceMatrix.needsUpdate = true;
        // From the colour of idle cells to that of work: an array that hardly works looks idle.
        this.others.material.color.set(0x8a959e).lerp(new THREE.Color(0xd55e00), state.share);
        this.others.material.opacity = 0.25 + 0.3 * state.share;
        this.lines.forEach((line, mode) => {
            line.material.color.set(state.roll && state.roll[mode] > 0 ? 0x3d9bdc : 0x8a959e);
        });
        this.draw();
    }

    /// Rotates the array by dragging.
    follow() {
        let last = null;
        this.canvas.addEventListener("pointerdown", (event) => {
            last = event;
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener("pointerup", () => { last = null; });
        this.canvas.addEventListener("pointermove", (event) => {
            if (last === null) { return; }
            this.turn.around -= (event.clientX - last.clientX) / 150;
            this.turn.above = Math.min(Math.max(this.turn.above + (event.clientY - last.clientY) / 150, -1.5), 1.5);
            last = event;
            this.draw();
        });
    }

    draw() {
        const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
        if (!width || !height) { return; }
        this.renderer.setPixelRatio(window.devicePixelRatio);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        const {around, above} = this.turn, far = this.distance * Math.max(1, 1.2 * height / width);
        const flat = far * Math.cos(above);
        this.camera.position.set(flat * Math.sin(around), far * Math.sin(above), flat * Math.cos(around));
        this.camera.lookAt(0, 0, 0);
        this.camera.updateProjectionMatrix();
        this.renderer.render(this.scene, this.camera);
    }

    remove() {
        this.watcher.disconnect();
        this.renderer.dispose();
        this.canvas.remove();
    }
}
