import { orNull, ShownMark, Type } from '@playhead/sdk'

const Text = Type.String()
const Texts = Type.Array(Text)
const Count = Type.Integer({ minimum: 0 })
const Counts = Type.Object({ watchlist: Count, history: Count, ratings: Count, combined: Count, progress: Count })

export const OptionsAnswer = Type.Object({
  providers: Type.Array(Text, { description: 'Those with stored rows.' }),
  provider_labels: Type.Record(Text, Text),
  instances: Type.Record(Text, Type.Array(Type.Object({ id: Text, label: Text }))),
  counts: Type.Record(Text, Counts),
  counts_instances: Type.Record(Text, Type.Record(Text, Counts)),
  formats: Type.Record(Text, Texts, { description: 'Ids of formats by feature.' }),
  labels: Type.Record(Text, Text),
  marks: Type.Record(Text, ShownMark, { description: 'Marks of formats that have one.' }),
  capabilities: Type.Record(
    Text,
    Type.Object({
      features: Texts,
      media_types: Texts,
      extension: Text,
      max_bytes: orNull(Type.Integer({ description: 'The largest file that the other side accepts.' })),
    }),
  ),
  rewatches: Type.Record(Text, Type.Boolean(), { description: 'Whether the provider supports single plays.' }),
  media_types: Texts,
  default_media_types: Texts,
  time_zone: Type.String({ description: 'The time zone of the settings; empty: that of the client.' }),
})

export const SampleAnswer = Type.Object({
  items: Type.Array(
    Type.Object(
      {
        key: Text,
        type: Text,
        title: Text,
        year: Text,
        watched_at: Text,
        ids: Type.Record(Text, Text),
        rating: orNull(Type.Integer()),
      },
      { additionalProperties: true },
    ),
  ),
  total: Type.Integer({ description: 'Lines of the file, without the header.' }),
  row_total: Type.Integer({ description: 'Rows in the file; some formats write lines in front of a row.' }),
  matched_total: Count,
  dropped_total: Count,
  warnings: Texts,
  validation: Type.Object({
    matched_total: Count,
    unsupported_media_total: Count,
    missing_identity_total: Count,
    missing_required_id_total: Count,
    missing_watched_at_total: Count,
    invalid_watched_date_total: Count,
    formula_title_total: Count,
  }),
  media_types: Texts,
  rewatches_supported: Type.Boolean(),
  include_rewatches: Type.Boolean(),
  columns: Texts,
  dates_optional: Type.Boolean({ description: 'Whether the format can leave the dates out.' }),
  preview_csv: Type.String({ description: 'How the file begins.' }),
  size_bytes: Count,
})

export const FileAnswer = {
  description: 'The file, in the media type of the format; with `split`, a ZIP archive of parts.',
  content: { '*/*': { schema: Type.String({ contentMediaType: '*/*' }) } },
}
