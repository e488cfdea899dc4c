// The poster of an item in a row of a table.
import { Box } from '@mantine/core'
import { PosterImage } from '../values/poster-image.tsx'
import { pictureOf, pictureOfKey, type Pictured } from './pictures.ts'

const WIDTH = 26

/** Looks up by item key, or by kind and ids if the row has no key. */
export function Thumb({ itemKey, title }: { readonly itemKey: string | Pictured; readonly title: string }) {
  const src = typeof itemKey === 'string' ? pictureOfKey(itemKey, 185) : pictureOf(itemKey, 185)
  return (
    <Box w={WIDTH} style={{ flexShrink: 0 }} aria-hidden>
      <PosterImage src={src} title={title} isSmall />
    </Box>
  )
}
