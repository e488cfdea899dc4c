// What a command of the command line is.
import type { ParseArgsOptionsConfig } from 'node:util'

export interface Cli {
  /** Playhead's own folder. */
  readonly root: string
  readonly dataDirectory: string
  /** The folder that relative paths on the command line begin at. */
  readonly workingDirectory: string
  readonly variables: Readonly<Record<string, string | undefined>>
  print(line: string): void
}

export interface Arguments {
  /** One for each of the command's `words`. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

export interface Command {
  /** The words that call it. */
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What may follow the name. */
  readonly usage: string
  /** Examples, and what happens next. */
  readonly help: string
  /** Names of the words that must follow. */
  readonly words?: readonly string[]
  readonly options?: ParseArgsOptionsConfig
  run(cli: Cli, given: Arguments): Promise<void>
}

/** A mistake of the caller: one line, and exit code 1. */
export class CliError extends Error {}
