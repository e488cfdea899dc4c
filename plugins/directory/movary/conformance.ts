// The three files of Movary for the checks of the format. Texts by the names of their files.

const history = `title,year,tmdbId,imdbId,watchedAt,comment,location
"Crouching Tiger, Hidden Dragon",2000,146,tt0190332,2024-03-20,"With ""Ann"", again",Cinema
Alien,1979,348,tt0078748,2024-03-20,,
Alien,1979,348,tt0078748,2024-03-20,,
"No date",1999,1,,,,
,,,,2024-01-01,,
`
const ratings = `title,year,tmdbId,imdbId,userRating
Alien,1979,348,tt0078748,9
"Not rated",1999,2,,0
`
const watchlist = `title,year,tmdbId,imdbId,addedAt
Heat,1995,949,tt0113277,"2024-02-03 10:11:12"
`

export default { 'history.csv': history, 'ratings.csv': ratings, 'watchlist.csv': watchlist }
