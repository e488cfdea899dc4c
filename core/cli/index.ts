// The command line: `npm run playhead -- <command>`.
import { createInterface } from 'node:readline/promises'
import { surviveClosedOutput } from '../closed-output.ts'
import { runCli } from './run.ts'

surviveClosedOutput()

async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // While readline waits for a line, the terminal sends no SIGINT for Ctrl-C.
  terminal.on('SIGINT', () => void process.kill(process.pid, 'SIGINT'))
  try {
    return await (signal === undefined ? terminal.question(question) : terminal.question(question, { signal }))
  } catch (error) {
    process.stdout.write('\n')
    if (signal?.aborted === true) throw error
    return ''
  } finally {
    terminal.close()
  }
}

process.exitCode = await runCli(process.argv.slice(2), {
  variables: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stdout.isTTY
    ? { terminal: { columns: process.stdout.columns, write: (text: string) => void process.stdout.write(text) } }
    : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask } : {}),
})
