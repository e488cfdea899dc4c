// The year in review as a picture, drawn on a canvas.
import { saveFile } from '../../api/download.ts'
import { shell } from '../../texts/en/shell.ts'
import { statistics as texts } from '../../texts/en/statistics.ts'
import { say } from '../../texts/say.ts'
import { squaresOf } from './calendar.tsx'
import type { Statistics } from './data.ts'

const WIDTH = 1_200
const HEIGHT = 1_500
const MARGIN = 80
const FONT = '"Figtree", system-ui, sans-serif'
const INK = { page: '#0c0f16', glow: '#4a2eb0', text: '#f4f2ff', soft: '#b6bdca', accent: '#a594ff' }
/** From no plays to the most plays. */
const LEVELS = ['#1d2331', '#3a2b86', '#5639c6', '#7a61f4', '#c3b8ff']
const TOP = 5

/** @param time the time watched, in words */
export async function savePicture(data: Statistics, year: number | null, time: string): Promise<void> {
  await document.fonts.ready
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (context === null) throw new Error(texts.nothing)
  draw(context, data, year, time)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error(texts.nothing)
  saveFile(blob, say(texts.picture.file, { year: year === null ? 'all' : String(year) }))
}

function draw(context: CanvasRenderingContext2D, data: Statistics, year: number | null, time: string): void {
  const { totals, top, streaks } = data
  const glow = context.createRadialGradient(WIDTH * 0.85, 0, 0, WIDTH * 0.85, 0, HEIGHT * 0.8)
  glow.addColorStop(0, INK.glow)
  glow.addColorStop(1, INK.page)
  context.fillStyle = INK.page
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.fillStyle = glow
  context.fillRect(0, 0, WIDTH, HEIGHT)

  const write = (text: string, x: number, y: number, size: number, weight: number, color: string, width: number) => {
    context.font = `${weight} ${size}px ${FONT}`
    context.fillStyle = color
    context.fillText(fitted(context, text, width), x, y)
  }
  const inner = WIDTH - 2 * MARGIN
  const heading = year === null ? texts.picture.all : say(texts.picture.year, { year: String(year) })
  write(heading, MARGIN, 160, 96, 800, INK.text, inner)
  write(texts.picture.watched, MARGIN, 212, 34, 500, INK.soft, inner)

  const numbers = [
    [texts.totals.plays, say('{n}', { n: totals.plays })],
    [texts.totals.time, time],
    [texts.totals.movies, say('{n}', { n: totals.movies })],
    [texts.totals.episodes, say('{n}', { n: totals.episodes })],
    [texts.totals.days, say('{n}', { n: totals.days })],
    [texts.totals.longest, streaks.longest === null ? texts.noStreak : say(texts.streak, { n: streaks.longest.days })],
  ] as const
  for (const [index, [name, value]] of numbers.entries()) {
    const x = MARGIN + (index % 3) * (inner / 3)
    const y = 350 + Math.floor(index / 3) * 150
    write(value, x, y, 64, 750, INK.text, inner / 3 - 24)
    write(name, x, y + 42, 28, 500, INK.soft, inner / 3 - 24)
  }

  const lists = [
    [texts.shows, top.shows],
    [texts.movies, top.movies],
  ] as const
  for (const [column, [name, titles]] of lists.entries()) {
    const x = MARGIN + column * (inner / 2)
    write(name, x, 690, 34, 700, INK.accent, inner / 2 - 40)
    for (const [index, one] of titles.slice(0, TOP).entries()) {
      const y = 750 + index * 64
      write(`${index + 1}`, x, y, 34, 800, INK.soft, 40)
      write(one.title || texts.untitled, x + 48, y, 34, 600, INK.text, inner / 2 - 100)
    }
  }

  const shown = year ?? data.years[0]
  if (shown !== undefined) {
    const step = inner / 53
    const own = data.days.filter(({ date }) => date.startsWith(`${shown}-`))
    write(`${texts.calendar} ${shown}`, MARGIN, 1_140, 34, 700, INK.accent, inner)
    for (const { column, row, level } of squaresOf(shown, own)) {
      context.fillStyle = LEVELS[level]!
      context.beginPath()
      context.roundRect(MARGIN + column * step, 1_170 + row * step, step - 4, step - 4, 4)
      context.fill()
    }
  }
  write(shell.product, MARGIN, HEIGHT - 60, 30, 700, INK.soft, inner)
}

/** Truncates long text with an ellipsis. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  const letters = [...text]
  while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > width) letters.pop()
  return `${letters.join('').trimEnd()}…`
}
