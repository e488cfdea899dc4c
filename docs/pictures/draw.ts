// Draws the pictures of the documentation from text: `npm run generate:pictures`. A picture is one column, narrow enough for
// phones. Lines of a text: `# title`, `= frame` (until an empty line), `- box: note | box beside it: note`, and arrows with
// a label: `>` down, `<` up, `<>` both. `> one | > two` are arrows beside each other.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const HERE = import.meta.dirname
const WIDTH = 400
const MARGIN = 14
const GAP = 10
const PADDING = 10
const [TITLE_LINE, NOTE_LINE] = [18, 15]
/** Of a character, on average, in the two sizes of text. */
const [TITLE_CHARACTER, NOTE_CHARACTER] = [7.6, 6.5]
const ARROW = 24
/** The part of an arrow's width that its label cannot use. */
const LABEL = 44
const ARROW_LINE = /^(<>|<|>)\s*(.*)$/

// Its own colours and background, because the page around it may follow another setting than the browser's.
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #495057 }
  .title { font-size: 14px; font-weight: 600; fill: #1a1b1e }
  .page { fill: #fff; stroke: #dee2e6 }
  .frame { fill: #f3f0ff; stroke: #d0bfff }
  .box { fill: #fff; stroke: #7950f2 }
  .arrow { stroke: #868e96; stroke-width: 1.5; fill: none }
  .head { fill: #868e96 }
  @media (prefers-color-scheme: dark) {
    text { fill: #c1c2c5 }
    .title { fill: #f8f9fa }
    .page { fill: #1a1b1e; stroke: #373a40 }
    .frame { fill: #25222f; stroke: #4c4271 }
    .box { fill: #2c2e33; stroke: #9775fa }
    .arrow { stroke: #909296 }
    .head { fill: #909296 }
  }`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Breaks a text into lines of at most so many pixels. */
function wrap(text: string, width: number, character: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length * character <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

interface Shape {
  readonly height: number
  draw(x: number, y: number, width: number, height: number): string
}

const texts = (lines: readonly string[], x: number, y: number, step: number, name = '') =>
  lines.map((line, index) => `<text${name} x="${x}" y="${y + index * step}">${escaped(line)}</text>`).join('')

function box(text: string, width: number): Shape {
  const cut = text.indexOf(': ')
  const title = wrap(cut === -1 ? text : text.slice(0, cut), width - 2 * PADDING, TITLE_CHARACTER)
  const note = cut === -1 ? [] : wrap(text.slice(cut + 2), width - 2 * PADDING, NOTE_CHARACTER)
  return {
    height: 2 * PADDING + title.length * TITLE_LINE + note.length * NOTE_LINE - 2,
    draw: (x, y, wide, high) =>
      `<rect class="box" x="${x}" y="${y}" width="${wide}" height="${high}" rx="6"/>` +
      texts(title, x + PADDING, y + PADDING + 13, TITLE_LINE, ' class="title"') +
      texts(note, x + PADDING, y + PADDING + 12 + title.length * TITLE_LINE, NOTE_LINE),
  }
}

function row(line: string, width: number): Shape {
  return beside(line.split(' | '), width, box)
}

/** Shapes of one height, each with the same share of the width. */
function beside(texts: readonly string[], width: number, shapeOf: (text: string, width: number) => Shape): Shape {
  const each = (width - GAP * (texts.length - 1)) / texts.length
  const shapes = texts.map((text) => shapeOf(text, each))
  const height = Math.max(...shapes.map((one) => one.height))
  return {
    height,
    draw: (x, y) => shapes.map((one, index) => one.draw(x + index * (each + GAP), y, each, height)).join(''),
  }
}

/** An arrow with its sign and label. */
function arrow(line: string, width: number): Shape {
  const [, kind = '', label = ''] = ARROW_LINE.exec(line) ?? []
  if (kind === '') throw new Error(`"${line}" is no arrow`)
  const lines = wrap(label, width - LABEL, NOTE_CHARACTER)
  const down = (x: number, y: number) => `<path class="head" d="M${x - 5} ${y - 7}h10l-5 8z"/>`
  const up = (x: number, y: number) => `<path class="head" d="M${x - 5} ${y + 7}h10l-5 -8z"/>`
  return {
    height: ARROW + Math.max(0, lines.length - 1) * NOTE_LINE,
    draw(x, y, wide, high) {
      const middle = label === '' ? x + wide / 2 : x + 30
      return (
        `<path class="arrow" d="M${middle} ${y + 3}V${y + high - 3}"/>` +
        (kind.includes('>') ? down(middle, y + high - 2) : '') +
        (kind.includes('<') ? up(middle, y + 2) : '') +
        texts(lines, middle + 14, y + (high - (lines.length - 1) * NOTE_LINE) / 2 + 4, NOTE_LINE)
      )
    },
  }
}

function column(lines: readonly string[], width: number): Shape {
  const shapes: Shape[] = []
  const space: number[] = []
  let wasArrow = true
  const add = (shape: Shape, isArrow: boolean) => {
    space.push(isArrow || wasArrow ? 0 : GAP)
    shapes.push(shape)
    wasArrow = isArrow
  }
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string
    if (line === '') continue
    const [, sign = '', text = ''] = /^(-|=|<>|<|>)\s*(.*)$/.exec(line) ?? []
    if (sign === '') throw new Error(`"${line}" begins with no known sign`)
    if (sign === '-') add(row(text, width), false)
    else if (sign === '=') {
      const end = lines.indexOf('', index)
      const inside = lines.slice(index + 1, end === -1 ? lines.length : end)
      add(frame(text, inside, width), false)
      index += inside.length
    } else add(beside(line.split(' | '), width, arrow), true)
  }
  return {
    height: shapes.reduce((sum, shape, index) => sum + shape.height + (space[index] as number), 0),
    draw(x, y, wide) {
      let at = y
      return shapes
        .map((shape, index) => {
          at += space[index] as number
          const drawn = shape.draw(x, at, wide, shape.height)
          at += shape.height
          return drawn
        })
        .join('\n')
    },
  }
}

function frame(caption: string, lines: readonly string[], width: number): Shape {
  const title = wrap(caption, width - 2 * PADDING, NOTE_CHARACTER)
  const inside = column(lines, width - 2 * PADDING)
  const top = PADDING + title.length * NOTE_LINE + 4
  return {
    height: top + inside.height + PADDING,
    draw: (x, y, wide, high) =>
      `<rect class="frame" x="${x}" y="${y}" width="${wide}" height="${high}" rx="10"/>` +
      texts(title, x + PADDING, y + PADDING + 9, NOTE_LINE) +
      `\n${inside.draw(x + PADDING, y + top, wide - 2 * PADDING, inside.height)}`,
  }
}

/** @returns the SVG of a text */
export function picture(text: string): string {
  const [first = '', ...lines] = text.trimEnd().split('\n')
  if (!first.startsWith('# ')) throw new Error('A picture begins with "# " and its title')
  const body = column(lines, WIDTH - 2 * MARGIN)
  const height = body.height + 2 * MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(first.slice(2))}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="12"/>`,
    body.draw(MARGIN, MARGIN, WIDTH - 2 * MARGIN, body.height),
    '</svg>',
    '',
  ].join('\n')
}

/** Each picture by its path, with what it should be. */
export function pictures(): ReadonlyMap<string, string> {
  return new Map(
    globSync('*.txt', { cwd: HERE }).map((file) => [
      join(HERE, file.replace(/\.txt$/, '.svg')),
      picture(readFileSync(join(HERE, file), 'utf8')),
    ]),
  )
}

if (import.meta.main) for (const [path, text] of pictures()) writeFileSync(path, text)
