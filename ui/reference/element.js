/** `element('p', { textContent: 'Hello' })`; children that are null are left out. */
export function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties)
  node.append(...children.filter((child) => child !== null && child !== undefined))
  return node
}
