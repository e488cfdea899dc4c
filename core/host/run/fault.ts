// A plugin's failure as plain data, so that stored failures do not retain the plugin's objects.
import { isPlayheadError, type PlayheadErrorCode } from '@playhead/sdk'

export type FaultPhase =
  | 'registry'
  | 'manifest'
  | 'build'
  | 'evaluate'
  | 'migrate'
  | 'setup'
  | 'routes'
  | 'check'
  | 'publish'
  | 'run'
  | 'dispose'

export interface Fault {
  readonly phase: FaultPhase
  readonly code: string
  readonly message: string
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly stack: string | null
  readonly atMs: number
  readonly sourceHash: string | null
}

export interface SourcePosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** An error with its load phase and source position. */
export class LoadError extends Error {
  readonly phase: FaultPhase
  readonly code: PlayheadErrorCode
  readonly position: SourcePosition | null
  /** The plugin that owns the conflicting name. */
  readonly rival: string | null

  constructor(
    phase: FaultPhase,
    code: PlayheadErrorCode,
    message: string,
    options: { cause?: unknown; position?: SourcePosition | null; rival?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LoadError'
    this.phase = phase
    this.code = code
    this.position = options.position ?? null
    this.rival = options.rival ?? null
  }
}

export function toFault(
  error: unknown,
  phase: FaultPhase,
  details: { directory?: string; sourceHash?: string | null; redact: (text: string) => string; nowMs: number },
): Fault {
  const load = error instanceof LoadError ? error : null
  const cause = load?.cause ?? error
  // The host's own stack does not help a plugin's author.
  const stack = cause instanceof Error && cause !== load && typeof cause.stack === 'string' ? cause.stack : null
  const position = load?.position ?? (details.directory === undefined ? null : positionIn(stack, details.directory))
  return {
    phase: load?.phase ?? phase,
    code:
      load?.code ?? (isPlayheadError(error) ? error.code : phase === 'run' ? 'PLH_PLUGIN_FAULT' : 'PLH_PLUGIN_SETUP'),
    message: details.redact(error instanceof Error ? error.message : String(error)),
    file: position?.file ?? null,
    line: position?.line ?? null,
    column: position?.column ?? null,
    stack: stack === null ? null : details.redact(stack.split('\n').slice(0, 12).join('\n')),
    atMs: details.nowMs,
    sourceHash: details.sourceHash ?? null,
  }
}

// The first frame inside the plugin's folder. Stacks are source-mapped to the original file and line.
export function positionIn(stack: string | null, directory: string): SourcePosition | null {
  if (stack === null) return null
  for (const line of stack.split('\n')) {
    const match = /\(?(?:file:\/\/)?(\/[^():]+|[A-Za-z]:\\[^():]+):(\d+):(\d+)\)?\s*$/.exec(line)
    const file = match?.[1]
    if (file?.startsWith(directory)) {
      return {
        file: file.slice(directory.length).replace(/^[/\\]/, ''),
        line: Number(match?.[2]),
        column: Number(match?.[3]),
      }
    }
  }
  return null
}
