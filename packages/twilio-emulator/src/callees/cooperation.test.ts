import { describe, expect, it } from 'vitest';
import { answerTo, jordan, questionIn } from './cooperation.ts';

describe('what a cooperating person answers', () => {
  it.each([
    ['Hello, this is an AI assistant calling on behalf of Example Clinic.', 'Okay.'],
    ['Am I speaking with Jordan?', 'Yes, speaking.'],
    ['Hi! Is this a good time to talk?', 'Yes, that is fine.'],
    ['How are you today?', 'I am fine, thank you.'],
    ['Could you tell me your full name?', 'My name is Jordan Avery.'],
    ['Thanks, Jordan. What is your e-mail address?', 'My e-mail is jordan.avery@example.com.'],
    ['And what is the best number to reach you?', 'You can reach me at 202 555 0142.'],
    ['What is your home address?', 'It is 100 Example Avenue, Springfield.'],
    ['What day and time would work for you?', 'Tomorrow at 10 am works for me.'],
    ['We have Tuesday at 3 pm or Friday at 9 am. Which time works for you?', 'Tuesday at 3 pm works for me.'],
    ['Would Tuesday or Thursday be better for you?', 'Tuesday works for me.'],
    ['Would you like tea or coffee?', 'Tea, please.'],
    ['How many people will come?', 'Two, please.'],
    ['On a scale from one to ten, how was it?', 'I would say eight.'],
    ['Do you want to keep the appointment?', 'Yes, that is fine.'],
    ['Is there anything else I can help you with?', 'No, that is all. Thank you.'],
    ['You are all set. Have a great day!', 'Goodbye.'],
    ['Thank you for your time. Goodbye.', 'Goodbye.'],
  ])('to "%s": "%s"', (utterance, answer) => {
    expect(answerTo(utterance, jordan)).toBe(answer);
  });

  it('may be their own for a kind of question', () => {
    expect(answerTo('Shall we?', { ...jordan, answers: { 'yes-or-no': 'Nope.' } })).toBe('Nope.');
  });

  it('is not goodbye while something is still asked', () => {
    expect(questionIn('Before we say goodbye, may I have your e-mail?')).toBe('email');
  });
});
