// What is wrong with the page as it stands: contrast, headings, tab order, names that stand twice.
(() => {
    const wrong = [];
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});

    const painted = colours => {
        canvas.globalCompositeOperation = "source-over";
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = rgb => {
        const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (ink, grounds) => {
        const below = luminance(painted(grounds)), above = luminance(painted([...grounds, ink]));
        return (Math.max(below, above) + 0.05) / (Math.min(below, above) + 0.05);
    };
    const grounds = element => {
        const found = [];
        for (let at = element; at; at = at.parentElement) {
            found.unshift(getComputedStyle(at).backgroundColor);
            if (at.tagName === "DIALOG") break;
        }
        return found;
    };

    const window_ = document.querySelector("dialog[open]");
    const root = window_ ?? document.body;
    const isSeen = element => element.checkVisibility({visibilityProperty: true})
        && !element.closest(".unseen, .skip, button:disabled, option")
        && (window_ || !element.closest("dialog"));
    const check = (element, ink, what) => {
        const ratio = contrast(ink, grounds(element));
        if (ratio < 4.5) wrong.push(`${what}: contrast ${ratio.toFixed(2)}`);
    };

    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const looked = new Set();
    let texts = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || looked.has(element) || !isSeen(element)) continue;
        looked.add(element);
        texts++;
        check(element, getComputedStyle(element).color, `${element.tagName}.${element.className} ${node.data.trim().slice(0, 20)}`);
        if (element.dataset.label) check(element, getComputedStyle(element, "::after").color, `label ${element.dataset.label}`);
    }
    if (texts < 5) wrong.push("there is hardly a text to look at");

    const headings = [...root.querySelectorAll("h1, h2, h3, h4")].filter(isSeen).map(h => Number(h.tagName[1]));
    if (!window_ && headings[0] !== 1) wrong.push("the first heading is not the first level");
    if (headings.filter(level => level === 1).length > 1) wrong.push("two headings of the first level");
    headings.forEach((level, n) => {
        if (n && level > headings[n - 1] + 1) wrong.push(`a heading of level ${level} follows ${headings[n - 1]}`);
    });

    for (const element of document.querySelectorAll("[tabindex]")) {
        if (element.tabIndex > 0) wrong.push(`${element.id} has a tabindex of its own`);
    }
    const ids = [...document.querySelectorAll("[id]")].map(each => each.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`${id} stands twice`);
    for (const element of document.querySelectorAll("[aria-labelledby], [aria-controls], [aria-describedby], [aria-activedescendant]")) {
        for (const name of ["aria-labelledby", "aria-controls", "aria-describedby", "aria-activedescendant"]) {
            for (const id of (element.getAttribute(name) ?? "").split(" ").filter(Boolean)) {
                if (!document.getElementById(id)) wrong.push(`${name} of ${element.id} leads nowhere`);
            }
        }
    }
    if (document.documentElement.lang !== "en") wrong.push("the language is not said");
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than the window");
    return wrong;
})()
