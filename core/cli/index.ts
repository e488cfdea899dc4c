#!/usr/bin/env node
// The command line: `npm run playhead -- <command>`.
import { runCli } from './run.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  variables: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
})
