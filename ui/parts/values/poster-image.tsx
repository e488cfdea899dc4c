// A poster served by Playhead. The placeholder has the same size.
import { AspectRatio, Center, Image, Paper, Text } from '@mantine/core'
import { IconMovie } from '@tabler/icons-react'
import { useState } from 'react'

export interface PosterImageProps {
  /** null if there is no poster. */
  readonly src: string | null
  readonly title: string
}

export function PosterImage({ src, title }: PosterImageProps) {
  const [failed, setFailed] = useState<string | null>(null)
  return (
    <AspectRatio ratio={2 / 3}>
      {src === null || failed === src ? (
        <Paper withBorder>
          <Center h="100%" p="xs">
            <div>
              <Center>
                <IconMovie aria-hidden />
              </Center>
              <Text size="xs" ta="center" lineClamp={3}>
                {title}
              </Text>
            </div>
          </Center>
        </Paper>
      ) : (
        <Image
          src={src}
          alt={title}
          radius="sm"
          bg="var(--row-line)"
          loading="lazy"
          decoding="async"
          onError={() => setFailed(src)}
        />
      )}
    </AspectRatio>
  )
}
