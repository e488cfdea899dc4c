// Bodies that may be left out.
import { Type, type Static, type TObject, type TUnsafe } from '@sinclair/typebox'

/** The schema of a JSON body that a client may leave out: `request.body` is then null. */
export function optionalBody<Schema extends TObject>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe({ ...schema, type: ['object', 'null'] })
}
