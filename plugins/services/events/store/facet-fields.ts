// The columns of a facet; see schema.ts.

/** A facet's columns as they are stored, in their order. Texts; absent ones are null. */
export const FACET_FIELDS = [
  'domain',
  'event_type',
  'severity',
  'feature',
  'operation',
  'pair_key',
  'direction',
  'source_provider',
  'source_instance',
  'destination_provider',
  'destination_instance',
  'origin_provider',
  'origin_instance',
  'origin_confidence',
  'reason_code',
  'source_kind',
] as const
