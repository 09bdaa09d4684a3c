#pragma once

namespace tensorloom::test {

/// Switches the messages of the partners on. Theirs of SC_WARNING and above fail a test as any unexpected report does:
/// a traffic generator that reads back what it did not write says so by SC_FATAL. The others are counted, not shown.
void hear_partners();

/// How many messages of severity SC_INFO the partners' source file of this name has sent.
int partner_messages(const char* source);

} // namespace tensorloom::test
