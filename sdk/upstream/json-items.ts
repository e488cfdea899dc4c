// Reads the items of one JSON array inside a document that arrives in pieces, without ever holding the document.
//
// Items are cut out as text and parsed whole. Everything around them is checked against the grammar too, to the last
// bracket: a list counts as complete only when the document that holds it is, and a document that ends early or does
// not have the list at all is an error, never an empty list.
import { PlayheadError } from '../errors.ts'
import { parseJson } from './parse-json.ts'

const MAX_DEPTH = 512

const QUOTE = 34,
  COMMA = 44,
  COLON = 58,
  OPEN_LIST = 91,
  BACKSLASH = 92,
  CLOSE_LIST = 93,
  OPEN_OBJECT = 123,
  CLOSE_OBJECT = 125

export interface ItemReader {
  /** Takes the next piece and gives the items that are complete now. */
  write(text: string): readonly unknown[]
  /** Throws when the document is not complete or has no list at the path. */
  end(): void
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing'

// A stretch of text that is parsed as one: an item, a key, or a plain value outside the list.
interface Cut {
  readonly as: 'item' | 'key' | 'skipped'
  readonly kind: 'container' | 'string' | 'bare'
  depth: number
  inString: boolean
  escaped: boolean
}

/** @param path keys that lead to the list, joined by dots; empty when the document is the list */
export function createItemReader(path: string, maxItemChars: number): ItemReader {
  const keys = path === '' ? [] : path.split('.')
  const open: number[] = []
  let expected: Expected = 'value'
  let key = ''
  // How many of the open containers, from the outside, lead to the list.
  let onPath = 0
  let wasFound = false
  let cut: Cut | null = null
  let kept = ''
  let items: unknown[] = []

  const isOnPath = () =>
    onPath === open.length && (open.length === 0 || (open.at(-1) === OPEN_OBJECT && key === keys[open.length - 1]))
  const isInList = () => open.length === keys.length + 1 && onPath === open.length

  function openContainer(code: number): void {
    if (open.length === MAX_DEPTH) throw invalid(`is nested deeper than ${MAX_DEPTH} levels`)
    const leads = isOnPath() && open.length <= keys.length
    open.push(code)
    if (leads) onPath = open.length
    expected = code === OPEN_LIST ? 'value or end' : 'key or end'
  }

  function closeContainer(): void {
    open.pop()
    onPath = Math.min(onPath, open.length)
    expected = open.length === 0 ? 'nothing' : 'comma or end'
  }

  function beginValue(code: number): void {
    if (isInList()) return begin('item', code)
    if (isOnPath() && open.length === keys.length) {
      if (code !== OPEN_LIST) throw invalid(`has no list at ${at(path)}`)
      if (wasFound) throw invalid(`has two lists at ${at(path)}`)
      wasFound = true
    }
    if (code === OPEN_LIST || code === OPEN_OBJECT) openContainer(code)
    else begin('skipped', code)
  }

  function begin(as: Cut['as'], code: number): void {
    const kind = code === QUOTE ? 'string' : code === OPEN_LIST || code === OPEN_OBJECT ? 'container' : 'bare'
    cut = { as, kind, depth: 0, inString: false, escaped: false }
    kept = ''
  }

  function finish(text: string): void {
    const value = parse(text)
    const { as } = cut as Cut
    cut = null
    kept = ''
    if (as === 'key') {
      key = value as string
      expected = 'colon'
      return
    }
    if (as === 'item') items.push(value)
    expected = open.length === 0 ? 'nothing' : 'comma or end'
  }

  function readMark(code: number): void {
    const isList = open.at(-1) === OPEN_LIST
    const closes = code === (isList ? CLOSE_LIST : CLOSE_OBJECT)
    if (expected === 'comma or end' && closes) closeContainer()
    else if (expected === 'comma or end' && code === COMMA) expected = isList ? 'value' : 'key'
    else if (expected === 'colon' && code === COLON) expected = 'value'
    else throw invalid('is not JSON')
  }

  return {
    write(text) {
      items = []
      let index = 0
      while (index < text.length) {
        if (cut !== null) {
          const end = endOf(cut, text, index)
          const piece = text.slice(index, end === -1 ? text.length : end)
          if (kept.length + piece.length > maxItemChars)
            throw invalid(`has an item of more than ${maxItemChars} characters`)
          if (end === -1) {
            kept += piece
            break
          }
          finish(kept + piece)
          index = end
          continue
        }
        const code = text.charCodeAt(index)
        if (isSpace(code)) index += 1
        else if (expected === 'value' || (expected === 'value or end' && code !== CLOSE_LIST)) {
          beginValue(code)
          // A container outside the list is entered; all else is cut out from here.
          if (cut === null) index += 1
        } else if ((expected === 'key' || expected === 'key or end') && code === QUOTE) begin('key', code)
        else if (
          (expected === 'value or end' && code === CLOSE_LIST) ||
          (expected === 'key or end' && code === CLOSE_OBJECT)
        ) {
          closeContainer()
          index += 1
        } else {
          readMark(code)
          index += 1
        }
      }
      return items
    },
    end() {
      if (cut?.kind === 'bare') finish(kept)
      if (expected !== 'nothing') throw invalid('breaks off')
      if (!wasFound) throw invalid(`has no list at ${at(path)}`)
    },
  }
}

// Where the stretch ends in this piece, or -1 when it goes on. A bare value ends before the mark behind it.
function endOf(cut: Cut, text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (cut.kind === 'bare') {
      if (isSpace(code) || code === COMMA || code === COLON || code === CLOSE_LIST || code === CLOSE_OBJECT)
        return index
    } else if (cut.inString) {
      if (cut.escaped) cut.escaped = false
      else if (code === BACKSLASH) cut.escaped = true
      else if (code === QUOTE) {
        cut.inString = false
        if (cut.depth === 0) return index + 1
      }
    } else if (code === QUOTE) cut.inString = true
    else if (code === OPEN_LIST || code === OPEN_OBJECT) cut.depth += 1
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      cut.depth -= 1
      if (cut.depth === 0) return index + 1
    }
  }
  return -1
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // The parser's message quotes the text.
    throw invalid('is not JSON')
  }
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

function at(path: string): string {
  return path === '' ? 'its root' : `"${path}"`
}

function invalid(what: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', `The answer ${what}.`)
}
