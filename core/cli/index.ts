// The command line: `npm run playhead -- <command>`.
import { surviveClosedOutput } from '../closed-output.ts'
import { runCli } from './run.ts'

surviveClosedOutput()
process.exitCode = await runCli(process.argv.slice(2), {
  variables: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
})
