// A small XML reader for files of foreign programs: elements as plain data, in pieces, so that a library of any size needs no memory
// of its size. It knows no entities beside those of XML, follows no DTD, and reads several roots in one file, which Kodi writes.
import { isRecord } from '../items/result.ts'

/** An element of an XML file. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Its own text, trimmed, without that of its children. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

export interface XmlReader {
  /** The elements that ended within this piece of the text. */
  feed(piece: string): readonly XmlElement[]
  /** After the last piece: the text is not well-formed, or breaks off. */
  isDamaged(): boolean
}

interface Open {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
  /** It was asked for, or is within one that was. */
  readonly isKept: boolean
}

const MAX_DEPTH = 100
/** A tag, a comment or a text without an end. */
const MAX_TOKEN = 1_024 * 1_024
/** Characters of an element with everything in it: the longest show of a library with all its episodes has some ten million. */
const MAX_ELEMENT = 64 * 1_024 * 1_024
/** An empty element takes as much memory as so many characters. */
const EMPTY = 64
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const CDATA = '<![CDATA['
const ENDS = [
  ['<!--', '-->'],
  [CDATA, ']]>'],
  ['<?', '?>'],
] as const

/**
 * Reads the elements with these names, each whole, and looks for no others within them. Default: the children of the root. One that
 * is too large for the memory is left out, and the text counts as damaged.
 *
 * @example
 * const reader = createXmlReader(['movie', 'tvshow'])
 * for await (const piece of pieces) for (const element of reader.feed(piece)) rows.push(...rowsOf(element))
 */
export function createXmlReader(names?: readonly string[]): XmlReader {
  const stack: Open[] = []
  let rest = ''
  let hasMistake = false
  /** Of the element that was asked for and is open. */
  let size = 0
  let found: XmlElement[] = []

  /** Whether the open element may grow by so much; otherwise none of it is kept. */
  function fits(more: number): boolean {
    size += more
    if (size <= MAX_ELEMENT) return true
    hasMistake = true
    for (const one of stack) {
      one.text = ''
      one.children.length = 0
    }
    return false
  }

  function text(part: string): void {
    const top = stack.at(-1)
    if (top?.isKept === true && fits(part.length)) top.text += part
  }

  function open(tag: string): void {
    const isEmpty = tag.endsWith('/')
    const [, name = '', attributes = ''] = /^([^\s/>]+)([\s\S]*)$/.exec(isEmpty ? tag.slice(0, -1) : tag) ?? []
    if (name === '' || stack.length >= MAX_DEPTH) {
      hasMistake = true
      return
    }
    const isWanted = names === undefined ? stack.length === 1 : names.includes(name)
    const isWithin = stack.at(-1)?.isKept === true
    const isKept = isWithin || isWanted
    if (!isWithin) size = 0
    const own = isKept && fits(EMPTY + tag.length) ? attributesOf(attributes) : {}
    stack.push({ name, attributes: own, children: [], text: '', isKept })
    if (isEmpty) close(name)
  }

  function close(name: string): void {
    const at = stack.findLastIndex((one) => one.name === name)
    if (at !== stack.length - 1) hasMistake = true
    const closed = at === -1 ? undefined : stack.splice(at)[0]
    if (closed?.isKept !== true || size > MAX_ELEMENT) return
    const element = { name, attributes: closed.attributes, text: closed.text.trim(), children: closed.children }
    const parent = stack.at(-1)
    if (parent?.isKept === true) parent.children.push(element)
    else found.push(element)
  }

  /** Reads the token that begins here; returns its end, or -1 if it is not complete yet. */
  function take(at: number): number {
    for (const [start, end] of ENDS) {
      if (!rest.startsWith(start, at)) continue
      const to = rest.indexOf(end, at + start.length)
      if (to !== -1 && start === CDATA) text(rest.slice(at + start.length, to))
      return to === -1 ? -1 : to + end.length
    }
    if (rest.startsWith('<!', at) && rest.length - at < CDATA.length) return -1
    const to = endOfTag(rest, at)
    if (to === -1) return -1
    const tag = rest.slice(at + 1, to)
    if (tag.startsWith('/')) close(tag.slice(1).trim())
    else if (!tag.startsWith('!')) open(tag)
    return to + 1
  }

  return {
    feed(piece) {
      found = []
      rest += piece
      let at = 0
      for (let next = rest.indexOf('<'); next !== -1; next = rest.indexOf('<', at)) {
        if (next > at) text(decoded(rest.slice(at, next)))
        at = next
        const after = take(next)
        if (after === -1) break
        at = after
      }
      rest = rest.slice(at)
      if (rest.length > MAX_TOKEN) [hasMistake, rest] = [true, '']
      return found
    },
    isDamaged: () => hasMistake || stack.length > 0 || rest.includes('<'),
  }
}

/** The position of `>` outside of quotes, and of the brackets of a DTD. */
function endOfTag(text: string, at: number): number {
  let quote = ''
  for (let index = at + 1; index < text.length; index += 1) {
    const sign = text[index]!
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '[' && text.startsWith('<!', at)) {
      index = text.indexOf(']', index)
      if (index === -1) return -1
    } else if (sign === '>') return index
  }
  return -1
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  // A word without a value is one match, so that each sign is read once.
  const words = text.matchAll(/([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g)
  return Object.fromEntries(
    [...words].flatMap(([, name, double, single]) => {
      const value = double ?? single
      return value === undefined ? [] : [[name!, decoded(value)]]
    }),
  )
}

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    const code = decimal === undefined ? (hex === undefined ? undefined : parseInt(hex, 16)) : Number(decimal)
    if (code === undefined) return ENTITIES[name as string] ?? whole
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Whether a text begins like XML, after a byte order mark and spaces. */
export function looksLikeXml(text: string): boolean {
  return /^\s*<(?:\?xml\b|!--|!DOCTYPE\b|[A-Za-z_])/i.test(text)
}

/** The value of a record as an element; undefined for anything else. */
export function xmlElement(value: unknown): XmlElement | undefined {
  return isRecord(value) && typeof value['name'] === 'string' && Array.isArray(value['children'])
    ? (value as unknown as XmlElement)
    : undefined
}

/** The children with this name. */
export function xmlChildren({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => xmlElement(child)?.name === name)
}

/** The text of the first child with this name; undefined if it is empty. */
export function xmlText(element: XmlElement, name: string): string | undefined {
  const [first] = xmlChildren(element, name)
  return typeof first?.text === 'string' && first.text !== '' ? first.text : undefined
}
