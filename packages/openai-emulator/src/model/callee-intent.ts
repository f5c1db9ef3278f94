/** What a callee wants with an utterance, as far as it changes the course of the call. */
export type CalleeIntent =
  | 'opt_out'
  | 'silence'
  | 'listening'
  | 'voicemail'
  | 'wrong_number'
  | 'robot_question'
  | 'identity_question'
  | 'purpose_question'
  | 'human_request'
  | 'repeat_request'
  | 'not_now'
  | 'decline'
  | 'goodbye'
  | 'reschedule'
  | 'greeting'
  | 'question'
  | 'negative'
  | 'positive'
  | 'statement';

// The order is the order of precedence: a callee who says "no, stop calling me" wants the second thing.
const INTENTS: [CalleeIntent, RegExp][] = [
  ['voicemail', /^[[(].*(?:voice ?mail|answering machine|beep).*[\])]$/i],
  ['listening', /^[[(].*(?:listening|answered|picked up|connected|is back|broke off|start).*[\])]$/i],
  ['silence', /^(?:[[(](?!.*(?:dtmf|key|digit|pressed)).*[\])]|\s*|\.{2,}|…)$/i],
  [
    'opt_out',
    /\b(?:stop (?:calling|phoning|ringing|contacting)|(?:remove|delete) (?:me|my (?:number|phone))|take (?:me|my (?:number|name)) off|(?:do not|don'?t|never)(?: you)?(?: ever)? (?:call|phone|ring|contact)\b(?! (?:me )?(?:before|until|after|till|at|on))|unsubscribe|opt (?:me )?out|no (?:me )?(?:vuelvan?|llamen?|llames) (?:a llamar|más|otra vez)|no me llamen|(?:quíten|quiten|bórren|borren)me|nicht (?:mehr|wieder|noch einmal) an(?:zu)?rufen|rufen sie (?:mich|hier|uns) (?:nicht|nie)|(?:streichen|löschen) sie m|ne m['’ ]?(?:r?appel|contact)\w* (?:plus|pas|jamais)|n['’ ]?appelez (?:plus|pas)|ne (?:plus|pas) (?:m['’ ])?r?appeler|(?:retirez|supprimez)[ -]m)/iu,
  ],
  [
    'wrong_number',
    /\b(?:wrong (?:number|person)|no(?:body| one) (?:here )?(?:by|with) that name|número equivocado|falsch verbunden|falsche nummer|(?:mauvais|faux) numéro)/iu,
  ],
  [
    'robot_question',
    /(?:\b(?:are|r|is) (?:you|this|it|that)(?: really| actually| just)? (?:an? )?(?:real|robot|bot|ai\b|a\.i\.|machine|human|computer|recording|automated|person\b|artificial)|(?:talking|speaking) (?:to|with) (?:an? )?(?:real|robot|bot|ai\b|machine|human|computer|person)|es (?:usted|esto) (?:un |una )?(?:robot|máquina|persona|grabación)|sind sie (?:ein |eine )?(?:roboter|mensch|maschine|computer|echte)|(?:êtes|es)[- ]?(?:vous|tu) (?:un |une )?(?:robot|machine|humain|vraie?))/iu,
  ],
  [
    'identity_question',
    /\b(?:who(?:'s| is| are)? (?:this|you|calling|am i|is calling|is this)|who(?:'s| is| are) (?:you|this|it|speaking|calling)|what(?:'s| is) your name|(?:which|what) (?:company|organi[sz]ation)|where are you calling from|quién (?:es|habla|llama)|de parte de quién|wer (?:ist|sind|spricht)|qui (?:est|êtes|appelle)|c['’]est qui)/iu,
  ],
  [
    'purpose_question',
    /\b(?:what(?:'s| is) (?:this|it|that)(?: call)? (?:about|regarding|for)|why (?:are you|do you|did you|you) call|what (?:do you want|is the reason)|what can i do for you|how (?:can|may) i help|de qué se trata|por qué (?:me )?llama|qué desea|worum geht|warum rufen|c['’]est à quel sujet|pourquoi (?:m['’])?appel)/iu,
  ],
  [
    'human_request',
    /\b(?:(?:speak|talk) (?:to|with) (?:a |an |the |some)?(?:human|person|real|someone|somebody|representative|operator|manager|agent)|(?:transfer|connect) me\b|put me through|hablar con (?:una persona|alguien)|mit (?:einem menschen|jemandem) sprechen|parler à (?:un humain|quelqu['’]un|une personne))/iu,
  ],
  [
    'repeat_request',
    /(?:^(?:sorry|pardon|what|huh|excuse me|come again|cómo|wie bitte|pardon|comment)\s*[?.!]*$|\b(?:say that again|repeat (?:that|it|please)|can you repeat|could you repeat|(?:didn'?t|did not|couldn'?t) (?:catch|hear|get|understand)|puede repetir|noch ?einmal|wiederholen|pouvez[- ]vous répéter|répétez))/iu,
  ],
  [
    'reschedule',
    /\b(?:reschedule|(?:another|different|other) (?:day|time|date)|(?:move|change|push|postpone) (?:it|that|the|my)\b|postpone|instead|can we (?:do|make it|say)|(?:would|could) (?:we|i|you) (?:do|come|make it)|otro día|otra hora|cambiar|verschieben|anderen? (?:tag|termin)|déplacer|reporter|un autre (?:jour|moment))/iu,
  ],
  [
    'not_now',
    /\b(?:(?:call|try|ring)(?: me)?(?: back| again)? later|call(?: me)? back|(?:not a|bad) (?:good )?time|i(?:'m| am) (?:busy|driving|in a meeting|at work)|can'?t talk|llámeme (?:más tarde|luego)|estoy ocupad|später (?:noch ?mal )?an|keine zeit|rappelez[- ]moi|(?:je suis )?occupée?)/iu,
  ],
  [
    'decline',
    /\b(?:not interested|(?:don'?t|do not) (?:want|need) (?:it|this|that|any|to)|i (?:refuse|decline)|leave me alone|cancel (?:it|that|the|my)|no me interesa|kein interesse|pas intéressée?)/iu,
  ],
  [
    'goodbye',
    /(?:\b(?:good ?bye|bye|have a (?:good|nice|great)|(?:gotta|have to|need to|got to) go|hang(?:ing)? up|talk (?:to you )?(?:later|soon)|adiós|hasta luego|auf wiederhören|tschüss|au revoir)\b)/iu,
  ],
  [
    'greeting',
    /^[¿¡]?(?:(?:hello|hi|hey|yes|good (?:morning|afternoon|evening)|speaking|this is [\p{L}' -]{2,30}|hola|sí|diga|dígame|buenos días|buenas tardes|hallo|guten tag|ja|bonjour|allô|oui)[\s,.!?]*){1,3}(?<=\?|hello\W*|hi\W*|hey\W*|(?:morning|afternoon|evening)\W*|speaking\W*|hola\W*|días\W*|tardes\W*|hallo\W*|tag\W*|bonjour\W*|allô\W*|this is .*)$/iu,
  ],
  [
    'question',
    /\?\s*$|^(?:what|when|where|who|why|how|which|can|could|do|does|is|are|will|would)\b(?=.*\b(?:i|you|it|the|that|there|much|many|long|time|day)\b).{8,}$/iu,
  ],
  [
    'negative',
    /^(?:well,? |um,? |sorry,? |oh,? |uh,? )*(?:no\b|nope|nah|not\b|never|negative|nein|non\b)|\b(?:can'?t|cannot|won'?t|unable|unavailable|(?:doesn'?t|does not|don'?t|isn'?t|not) (?:work|suit|good|possible|available)|no puedo|kann (?:leider )?nicht|je ne peux pas|unfortunately|i'?m afraid)/iu,
  ],
  [
    'positive',
    /\b(?:yes|yeah|yep|yup|sure|correct|right|absolutely|of course|certainly|definitely|exactly|fine|okay|ok|perfect|great|good|works|confirmed?|i (?:do|can|will|am)|sí|claro|correcto|de acuerdo|vale|ja|genau|gerne|stimmt|natürlich|oui|d['’]accord|bien sûr|tout à fait)(?![\p{L}])/iu,
  ],
];

/** Reads one utterance, or a note in brackets or parentheses, such as `[silence]`, in its place. */
export function calleeIntent(utterance: string): CalleeIntent {
  const text = utterance.trim().replaceAll('’', "'");
  for (const [intent, pattern] of INTENTS) {
    if (pattern.test(text)) return intent;
  }
  return 'statement';
}
