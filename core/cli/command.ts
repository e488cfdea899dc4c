// The interface of a command-line command.
import type { ParseArgsOptionsConfig } from 'node:util'

export interface Cli {
  /** Playhead's own folder. */
  readonly root: string
  readonly dataDirectory: string
  /** Set by --data, not by the environment or the default. */
  readonly dataIsGiven: boolean
  /** Base of relative paths on the command line. */
  readonly workingDirectory: string
  readonly variables: Readonly<Record<string, string | undefined>>
  print(line: string): void
  /** Undefined if the output is redirected. */
  readonly terminal?: Terminal | undefined
  /** Asks the person; missing where no one can answer. Rejects when the signal aborts. */
  ask?(question: string, signal?: AbortSignal): Promise<string>
}

export interface Terminal {
  readonly columns: number
  write(text: string): void
}

export interface Arguments {
  /** One value for each of the command's `words`. */
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

export interface Command {
  /** The words that invoke it. */
  readonly name: string
  /** One line in the list of commands. */
  readonly summary: string
  /** Arguments after the name. */
  readonly usage: string
  /** Examples, and what happens next. */
  readonly help: string
  /** Names of required arguments. */
  readonly words?: readonly string[]
  /** Names of optional arguments. */
  readonly optionalWords?: readonly string[]
  readonly options?: ParseArgsOptionsConfig
  /** Exit code of a usage error. Default 1. */
  readonly usageCode?: number
  /** @returns the exit code; nothing means 0 */
  run(cli: Cli, given: Arguments): Promise<void> | Promise<number>
}

/** A usage error: one line, and the exit code of the command. */
export class CliError extends Error {}
