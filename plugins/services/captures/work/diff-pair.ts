// Selects the files by which two captures are compared.
import { PlayheadError } from '@playhead/sdk'
import { type CapturedFeature, type CaptureEntry, FEATURES_CAPTURED } from '../contract.ts'

export interface DiffPair {
  readonly a: CaptureEntry
  readonly b: CaptureEntry
  /** Files of both captures by feature: a single one, or those that both bundles contain. */
  readonly files: readonly { readonly feature: CapturedFeature; readonly a: string; readonly b: string }[]
}

/** Throws `PLH_INVALID`: `bundle_and_single`, `captures_differ_…`, `no_shared_children`, `invalid_capture`. */
export function diffPair(
  a: CaptureEntry,
  b: CaptureEntry,
  childrenOf: (entry: CaptureEntry) => readonly CaptureEntry[],
  allowOtherInstance: boolean,
): DiffPair {
  const refuse = (wire: string, message: string) => new PlayheadError('PLH_INVALID', message, { wire })
  if (a.kind === 'broken' || b.kind === 'broken')
    throw refuse('invalid_capture', 'One of the files is no capture, or it is damaged.')
  const isSame = (of: (entry: CaptureEntry) => string) => of(a).toLowerCase() === of(b).toLowerCase()
  if (!isSame(({ header }) => header.provider))
    throw refuse('captures_differ_provider', 'The captures are of different services.')
  if (!allowOtherInstance && !isSame(({ header }) => header.instance))
    throw refuse(
      'captures_differ_instance',
      'The captures are of different accounts. Send allow_cross_instance to compare them.',
    )
  if (a.kind !== b.kind)
    throw refuse('bundle_and_single', 'One capture is a bundle, the other contains a single feature.')
  if (a.kind === 'single') {
    if (a.header.feature !== b.header.feature)
      throw refuse('captures_differ_feature', 'The captures contain different features.')
    return { a, b, files: [{ feature: a.header.feature as CapturedFeature, a: a.path, b: b.path }] }
  }
  const fileOf = (entry: CaptureEntry, feature: CapturedFeature) =>
    childrenOf(entry).find(({ header, kind }) => header.feature === feature && kind === 'single')?.path
  const files = FEATURES_CAPTURED.flatMap((feature) => {
    const [one, other] = [fileOf(a, feature), fileOf(b, feature)]
    return one === undefined || other === undefined ? [] : [{ feature, a: one, b: other }]
  })
  if (files.length === 0) throw refuse('no_shared_children', 'The bundles have no feature in common.')
  return { a, b, files }
}
