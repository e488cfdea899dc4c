// The poster of an item in a row of a table.
import { Box } from '@mantine/core'
import { PosterImage } from '../values/poster-image.tsx'
import { pictureOfKey } from './pictures.ts'

const WIDTH = 26

export function Thumb({ itemKey, title }: { readonly itemKey: string; readonly title: string }) {
  return (
    <Box w={WIDTH} style={{ flexShrink: 0 }} aria-hidden>
      <PosterImage src={pictureOfKey(itemKey, 185)} title={title} isSmall />
    </Box>
  )
}
