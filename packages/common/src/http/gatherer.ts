/** Receives a piece of a body. If it returns a promise, the next piece waits for it. */
export type OnPiece = (piece: Buffer) => Promise<void> | undefined

/** Minimum bytes of a piece that is passed on by itself. */
const SMALL = 1_024

/** Maximum bytes of combined small pieces. A guess: what zlib returns at a time. */
const GATHERED = 16 * 1024

/**
 * Combines small pieces: a body may arrive in chunks of one byte, each of which costs a hundred bytes while it is kept.
 */
export class Gatherer {
  readonly #onPiece: OnPiece
  #held: Buffer | undefined
  /** Buffer that {@link #held} is the beginning of, after pieces were combined. */
  #room: Buffer | undefined

  /** @param onPiece receives the pieces, at most one per added piece */
  constructor(onPiece: OnPiece) {
    this.#onPiece = onPiece
  }

  add(piece: Buffer): ReturnType<OnPiece> {
    const held = this.#held
    if (!held) {
      if (piece.length >= SMALL) return this.#onPiece(piece)
      this.#held = piece
      return undefined
    }
    if (held.length + piece.length <= GATHERED) {
      this.#append(held, piece)
      return undefined
    }
    this.#held = piece
    this.#room = undefined
    return this.#onPiece(held)
  }

  /** Passes on the bytes that are held. More pieces may follow. */
  end(): ReturnType<OnPiece> {
    const held = this.#held
    this.#held = undefined
    this.#room = undefined
    return held && this.#onPiece(held)
  }

  #append(held: Buffer, piece: Buffer) {
    if (!this.#room) {
      this.#room = Buffer.allocUnsafeSlow(GATHERED)
      held.copy(this.#room)
    }
    piece.copy(this.#room, held.length)
    this.#held = this.#room.subarray(0, held.length + piece.length)
  }
}
