// Terminal output of the demo: headings, tables, and a progress line that updates itself.
const WIDTH = 30

export function heading(text: string): void {
  process.stdout.write(`\n${isTerminal ? `\u001b[1m${text}\u001b[0m` : text}\n`)
}

export function line(text: string): void {
  process.stdout.write(`  ${text}\n`)
}

export function table(rows: readonly (readonly (string | number)[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length))) ?? []
  for (const [index, row] of rows.entries()) {
    line(
      row
        .map((cell, column) =>
          typeof cell === 'number' ? String(cell).padStart(widths[column]!) : cell.padEnd(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    if (index === 0) line(widths.map((width) => '─'.repeat(width)).join('  '))
  }
}

const isTerminal = process.stdout.isTTY === true

/** One bar per task; in a file, only the end is written. */
export function createProgress() {
  let shown = ''
  return {
    show(what: string, done: number, total: number): void {
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * WIDTH)
      const text = `  ${what.padEnd(34)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}`
      if (isTerminal) process.stdout.write(`\r\u001b[K${text}`)
      shown = text
    },
    end(): void {
      if (shown === '') return
      process.stdout.write(isTerminal ? '\n' : `${shown}\n`)
      shown = ''
    },
  }
}
