// A minimal XML parser for responses whose values are attributes.
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
}

const TAG = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The root element; undefined when the text is not well formed. */
export function parseXml(text: string): Element | undefined {
  const top: { name: string; attributes: Record<string, string>; children: Element[] } = {
    name: '',
    attributes: {},
    children: [],
  }
  const open = [top]
  for (const [, closing, name = '', attributes = '', empty] of text.matchAll(TAG)) {
    const current = open.at(-1) as typeof top
    if (closing === '/') {
      if (open.length === 1 || current.name !== name) return undefined
      open.pop()
      continue
    }
    const element = { name, attributes: readAttributes(attributes), children: [] }
    current.children.push(element)
    if (empty !== '/') open.push(element)
  }
  return open.length === 1 && top.children.length === 1 ? top.children[0] : undefined
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name, double, single]) => [name, decode(double ?? single ?? '')]),
  )
}

function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, decimal: string | undefined, hex: string | undefined, name: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )
}
