// The export position, stored beside the exported files. File sizes are noted before a batch is appended, so that a
// half-written batch can be cut off after a crash.
import { PlayheadError, Type, type FileArea, type Static } from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'

export const POSITION_FILE = 'events-position.json'

const Position = Type.Object({
  /** Identity of the archive file that `id` belongs to. */
  archive: Type.String(),
  /** The last event that was written or skipped. */
  id: Type.Integer({ minimum: 0 }),
  /** Sizes before the batch that is being written; null for a new file. */
  writing: Type.Array(
    Type.Object({
      file: Type.String({ pattern: '^events-\\d{8}T\\d{2}\\.jsonl$' }),
      size: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    }),
  ),
})
type Position = Static<typeof Position>

const BEGINNING: Position = { archive: '', id: 0, writing: [] }

export async function savePosition(files: FileArea, position: Position): Promise<void> {
  await files.write(POSITION_FILE, `${JSON.stringify(position)}\n`)
}

/** Cuts off a half-written batch and returns the position. Throws `PLH_CONFLICT` for an unreadable position file. */
export async function recoverPosition(files: FileArea): Promise<Position> {
  const position = await readPosition(files)
  if (position.writing.length === 0) return position
  for (const { file, size } of position.writing) {
    const found = await files.stat(file)
    if (found === undefined) continue
    if (size === null) await files.remove(file)
    else if (found.size > size) await files.append(file, '', size)
  }
  const recovered = { ...position, writing: [] }
  await savePosition(files, recovered)
  return recovered
}

async function readPosition(files: FileArea): Promise<Position> {
  if ((await files.stat(POSITION_FILE)) === undefined) return BEGINNING
  const text = (await files.read(POSITION_FILE)).toString()
  try {
    return Value.Decode(Position, JSON.parse(text))
  } catch (error) {
    throw new PlayheadError(
      'PLH_CONFLICT',
      `${POSITION_FILE} in the folder exports cannot be read. Remove it together with the files events-*.jsonl to start over.`,
      { cause: error },
    )
  }
}
