// Output of remote commands: one changing line on a terminal, plain lines otherwise, nothing but JSON with --json.
import type { Arguments, Cli } from '../command.ts'

export interface Output {
  /** Prints a permanent line. */
  line(text: string): void
  /** Shows the current step. On a terminal it replaces the previous one; otherwise it is not shown. */
  progress(text: string): void
  /** Prints the result with --json. */
  json(value: unknown): void
  readonly isJson: boolean
}

export function createOutput(cli: Cli, { options }: Arguments): Output {
  const isJson = options['json'] === true
  const { terminal } = cli
  let shown = false
  const clear = () => {
    if (shown) terminal?.write('\r\u001b[K')
    shown = false
  }
  return {
    isJson,
    line(text) {
      clear()
      if (!isJson) cli.print(text)
    },
    progress(text) {
      if (isJson || terminal === undefined) return
      terminal.write(`\r\u001b[K${text.slice(0, Math.max(20, terminal.columns - 1))}`)
      shown = true
    },
    json(value) {
      if (isJson) cli.print(JSON.stringify(value))
    },
  }
}

/** `3 items`, `1 item` */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Epoch seconds or an ISO date as a local time. */
export function when(at: number | string | null | undefined): string {
  if (at === null || at === undefined || at === 0 || at === '') return 'never'
  const date = new Date(typeof at === 'number' ? at * 1_000 : at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toLocaleString('sv-SE').slice(0, 16)
}
