/** Elements with attributes and children, in one expression. Texts are texts, never markup. */

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
    name: K,
    attributes: Record<string, string>,
    ...children: Child[]
): HTMLElementTagNameMap[K];
export function element(name: string, attributes: Record<string, string>, ...children: Child[]): HTMLElement {
    return fill(document.createElement(name), attributes, children);
}

export function svg(name: string, attributes: Record<string, string | number>, ...children: Child[]): SVGElement {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill<E extends Element>(made: E, attributes: Record<string, string | number>, children: Child[]): E {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
}
