// The status of a synced playlist.
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { type Mapping, statusOf } from './state.ts'

export function MappingStatus({ mapping }: { readonly mapping: Mapping }) {
  return <StatusBadge {...statusOf(mapping)} />
}
