// The words and sentence openers that Hearth does not use, each with what to write instead. tools/check-language.ts holds
// comments, texts, names and docs to this list. It catches the crude cases only: CONTRIBUTING.md has the rules.

export interface WordRule {
  readonly pattern: RegExp
  readonly suggestion: string
}

/** A sentence that opens so has no subject: "What is stored." instead of "The stored rows." */
export const sentenceOpeners: readonly WordRule[] = [
  { pattern: /^What\b(?![^.]*\?)/, suggestion: 'name the thing: "The stored rows…" instead of "What is stored…"' },
  { pattern: /^Of\b/, suggestion: 'start with the noun or the verb' },
  { pattern: /^Those\b/, suggestion: 'repeat the noun' },
  { pattern: /^(?:Whom|Whose|Whoever|Whatever)\b/, suggestion: 'name who or what acts' },
  { pattern: /^Who\b(?![^.]*\?)/, suggestion: 'name who acts' },
  { pattern: /^(?:Where|Why)\b(?![^.]*[,?])/, suggestion: 'start with the noun: "The place…", "The reason…"' },
  { pattern: /^Which\b(?![^.]*\?)(?! (?:of|one)\b)/, suggestion: 'start with the noun: "The column that…"' },
  { pattern: /^As (?:those|the others|it is|they are|that)\b/, suggestion: 'start with the noun or the verb' },
]

/** Words and phrases with a private or old-fashioned meaning, in prose. */
export const words: readonly WordRule[] = [
  { pattern: /\bquestions?\b/i, suggestion: 'query, request' },
  { pattern: /\banswer(?:s|ing)?\b/i, suggestion: 'response, respond' },
  { pattern: /\bask(?:s|ed|ing)? again\b/i, suggestion: 'refresh, retry' },
  { pattern: /\b(?:is|are|was|were|be|been) asked\b/i, suggestion: 'is queried, is requested' },
  { pattern: /\basked (?:for|about|of)\b/i, suggestion: 'requested, queried' },
  { pattern: /\baskers?\b/i, suggestion: 'caller, client' },
  { pattern: /\bworkshop\b/i, suggestion: 'query context' },
  { pattern: /\bhoped?\b/i, suggestion: 'assume, optimistic' },
  { pattern: /\bweigh(?:s|ed|ing)?\b/i, suggestion: 'sum, aggregate' },
  { pattern: /\banew\b/i, suggestion: 'again' },
  {
    pattern: /\bin all\b(?! (?:cases|of|the|three|four|five|places|formats|generations|browsers))/i,
    suggestion: 'total, in total',
  },
  { pattern: /\bhad been sent before\b/i, suggestion: 'duplicate' },
  { pattern: /\bset aside\b/i, suggestion: 'skipped, quarantined' },
  { pattern: /\bthrown away\b/i, suggestion: 'dropped, discarded' },
  { pattern: /\b(?:left|leaves?|leaving) (?:it |them )?out\b/i, suggestion: 'skipped, omitted' },
  { pattern: /\bnot taken\b/i, suggestion: 'rejected' },
  { pattern: /\b(?:is|are|was|were|be|been) told\b(?! to\b)/i, suggestion: 'is reported, is notified' },
  { pattern: /\btold (?:of|apart|by|from)\b/i, suggestion: 'reported, distinguished' },
  { pattern: /\btells? (?:of|(?:it |them )?apart|whether|which)\b/i, suggestion: 'report, say, distinguish' },
  { pattern: /\bfold up\b/i, suggestion: 'collapse' },
  { pattern: /\b(?:mend(?:s|ed|ing)?)\b/i, suggestion: 'fix, repair' },
  { pattern: /\bgraver?\b/i, suggestion: 'severity' },
  { pattern: /\b(?:whence|thereof|therein|whither|hitherto|thus far)\b/i, suggestion: 'a present-day word' },
  { pattern: /\bas it were\b/i, suggestion: 'delete it' },
  { pattern: /\bso many\b/i, suggestion: 'a number, or "this many"' },
  { pattern: /\bfinds? room\b|\bfound no room\b/i, suggestion: 'does not fit' },
  { pattern: /\bdoes? not (?:heed|mind)\b/i, suggestion: 'ignores' },
  { pattern: /\bhas nothing in it\b/i, suggestion: 'is empty, no data in this range' },
  { pattern: /\bnothing fits\b/i, suggestion: 'no results' },
  { pattern: /\bgenerations? who\b/i, suggestion: 'OTLP versions by sender' },
  { pattern: /\bcolour-?blind\b(?! (?:palette|users|people|safe))/i, suggestion: 'colour-blind palette' },
]

/** Identifiers that need explaining. */
export const identifiers: readonly WordRule[] = [
  { pattern: /\bMOST_[A-Z]\w*/, suggestion: 'MAX_…' },
  { pattern: /\bLEAST_[A-Z]\w*/, suggestion: 'MIN_…' },
  {
    pattern: /\b(?:most|least)(?:Bytes|Rows|Nodes|Steps|Items|Lines|Events|Samples|Values|Depth)\b/,
    suggestion: 'max…, min…',
  },
  { pattern: /\b\w*Workshop\w*/, suggestion: 'QueryContext' },
  { pattern: /\b(?:Asking|Asked|Asker|Told|Asks)\b/, suggestion: 'Query, Request, Response, Message' },
  { pattern: /\b(?:asked|asking|mended|mender)\b/, suggestion: 'requested, pending; repaired' },
  { pattern: /\bHOPED\b/, suggestion: 'OPTIMISTIC' },
  { pattern: /\bweigh(?:ed|s|t?ings?)?\b/i, suggestion: 'sum, aggregate' },
  { pattern: /\bWorkerWord\b/, suggestion: 'WorkerMessage' },
]
