# Finds the places where argosy's code can be broken, and the ways: rules on the syntax tree of
# libclang. One page because all rules walk one syntax tree.
# SPDX-License-Identifier: BSD-3-Clause
#
# A mutant is a list of edits. An edit puts `pre` before the bytes [begin, end) of a file and `post`
# behind them, with the mutant's number for @N@. The bytes between stay, so edits of different
# mutants may be nested.
import hashlib
import re
from bisect import bisect_right

from clang.cindex import CursorKind as K
from clang.cindex import TypeKind as T

INTEGERS = {T.INT, T.UINT, T.LONG, T.ULONG, T.SHORT, T.USHORT, T.LONGLONG, T.ULONGLONG}
SKIPPED = {K.STATIC_ASSERT, K.ENUM_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL, K.CONCEPT_DECL,
           K.CXX_UNARY_EXPR, K.USING_DECLARATION, K.USING_DIRECTIVE, K.FRIEND_DECL, K.TYPE_REF, K.TEMPLATE_REF}
FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
LOOPS = {K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.CXX_FOR_RANGE_STMT}
JUMPS = {K.RETURN_STMT, K.BREAK_STMT, K.CONTINUE_STMT, K.CXX_THROW_EXPR}
PLAIN = {K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.INTEGER_LITERAL, K.CXX_BOOL_LITERAL_EXPR}
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
WAITS = re.compile(r"(?:^|[.>:])(lock|unlock|wait\w*|await|notify\w*|wake\w*|join|barrier|synchronize|settle|sync|fence|flush)\s*\($")
LOCKS = re.compile(r"^(?:std::)?(?:lock_guard|scoped_lock|unique_lock|shared_lock)\b")
ERRORS = re.compile(r"^(?:const )?(?:argosy::)?(?:std::error_code|failure|errc)(?: const)?$")
RESERVES = re.compile(r"(?:[.>]|^)reserve\([^;]*\)$")  # changes nothing but time
MACRO = re.compile(rb"(?:[A-Z][A-Z0-9_]{2,}|assert)\b[^.:]*$")
UNEVALUATED = re.compile(rb"(?:requires|noexcept|sizeof|decltype|alignof)\b")


class File:
    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.starts = [0] + [i + 1 for i, c in enumerate(text) if c == 10]

    def line_of(self, offset):
        return bisect_right(self.starts, offset)

    def line_text(self, line):
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        return self.text[self.starts[line - 1]:end].decode(errors="replace").strip()


class Finder:
    """Collects the mutants of the given files from one translation unit."""

    def __init__(self, files):
        self.files = files  # absolute path: File
        self.found = []

    def run(self, unit):
        for c in unit.cursor.get_children():
            self.f = self.file_of(c)
            if self.f and c.kind.is_declaration():
                self.declaration(c)
        return self.found

    def file_of(self, c):
        name = c.location.file
        return self.files.get(name.name) if name else None

    # --- Spans ---

    def span(self, c):
        return c.extent.start.offset, c.extent.end.offset

    def text(self, c):
        b, e = self.span(c)
        return self.f.text[b:e].decode(errors="replace")

    # Code that comes from a macro has the place where the macro is used.
    def in_macro(self, begin, end):
        return MACRO.match(self.f.text[begin:end]) is not None

    def with_semicolon(self, c):
        b, e = self.span(c)
        while e < len(self.f.text) and self.f.text[e] in b" \t\n":
            e += 1
        return (b, e + 1) if e < len(self.f.text) and self.f.text[e] == ord(";") else None

    # --- Making them ---

    def add(self, rule, what, *edits):
        if any(self.in_macro(b, e) for b, e, _, _ in edits if e > b):
            return
        self.found.append(dict(file=self.f.name, rule=rule, what=what, line=self.f.line_of(edits[0][0]),
                               text=self.f.line_text(self.f.line_of(edits[0][0])), at=edits[0][0],
                               edits=[list(e) for e in edits]))

    def replaced(self, rule, c, alternative, what=None):
        b, e = self.span(c)
        self.add(rule, what or f"{self.text(c)} -> {alternative}", (b, e, f"( ::argosy_mutant::is(@N@) ? ({alternative}) : (", "))"))

    def negated(self, rule, c):
        b, e = self.span(c)
        self.add(rule, f"!({self.text(c)})", (b, e, "( ::argosy_mutant::is(@N@) != bool(", "))"))

    def bound(self, c):
        if self.kind_of(c) not in INTEGERS:
            return
        b, e = self.span(c)
        # The text of the place decides between up and down, so that the next run does the same.
        by = 1 if int(hashlib.sha1(self.f.text[max(0, b - 20):e]).hexdigest(), 16) % 2 or self.text(c) == "0" else -1
        self.add("bound by one", f"{self.text(c)} {by:+d}", (b, e, "::argosy_mutant::plus(@N@, (", f"), {by})"))

    def left_out(self, rule, c, what=None):
        span = self.with_semicolon(c)
        if span:
            self.add(rule, what or "without: " + self.text(c), (*span, "{ if (! ::argosy_mutant::is(@N@)) { ", " } }"))

    # --- Types ---

    def kind_of(self, c):
        return c.type.get_canonical().kind

    def unwrapped(self, c):
        while c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
            inner = list(c.get_children())
            if len(inner) != 1 or not inner[0].kind.is_expression():
                break
            c = inner[0]
        return c

    # --- Declarations ---

    def declaration(self, c):
        if c.kind in SKIPPED and c.kind != K.FRIEND_DECL:
            return
        if c.kind in FUNCTIONS:
            self.function(c)
        elif c.kind == K.FIELD_DECL:
            self.default(c)
        elif c.kind == K.VAR_DECL:
            pass  # a constant of a namespace or a class
        else:
            for child in c.get_children():
                if child.kind.is_declaration():
                    self.declaration(child)

    def default(self, c):
        children = [x for x in c.get_children() if x.kind.is_expression()]
        head = self.f.text[c.location.offset:c.extent.end.offset]
        if not children or (b"=" not in head and b"{" not in head) or b":" in head.split(b"=")[0].replace(b"::", b""):
            return
        value = children[-1]
        if value.kind == K.INIT_LIST_EXPR or value.extent.end.offset != c.extent.end.offset:
            return
        kind = c.type.get_canonical().kind
        if kind == T.BOOL:
            self.negated("a default changed", value)
        elif kind in INTEGERS and self.kind_of(self.unwrapped(value)) in INTEGERS:
            b, e = self.span(value)
            self.add("a default changed", f"{self.text(value)} +1", (b, e, "::argosy_mutant::plus(@N@, (", "), 1)"))

    def function(self, c):
        if b"consteval" in self.f.text[c.extent.start.offset:c.location.offset]:
            return
        children = list(c.get_children())
        body = None
        for child in children:
            if child.kind == K.PARM_DECL:
                self.default(child)
            elif child.kind == K.COMPOUND_STMT:
                body = child
            elif child.kind.is_expression() and c.kind == K.CONSTRUCTOR and child.extent.start.offset > c.location.offset:
                self.expression(child)
        if body is None:
            return
        outer, self.result = getattr(self, "result", None), c.result_type
        self.early_return(c, body)
        self.statement(body)
        self.result = outer

    def early_return(self, c, body):
        text = self.text(body)
        if "co_" in text or c.kind in (K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION) or len(list(body.get_children())) < 1:
            return
        head = self.f.text[c.extent.start.offset:c.location.offset].decode(errors="replace")
        kind = c.result_type.get_canonical().kind
        spelled = c.result_type.spelling
        at = body.extent.start.offset + 1
        if "auto" in head or "noreturn" in head or "constexpr" in head and kind == T.VOID:
            return
        value = {T.VOID: ""}.get(kind)
        if value is None and (kind == T.BOOL or kind in INTEGERS or ERRORS.match(spelled)):
            value = " {}"
        if value is not None:
            self.add("an early return", f"return{value}; first in {c.spelling}", (at, at, f" if ( ::argosy_mutant::is(@N@)) return{value};", ""))

    # --- Statements ---

    def statement(self, c):
        k = c.kind
        if k == K.COMPOUND_STMT:
            for child in c.get_children():
                self.in_block(child)
        elif k == K.DECL_STMT:
            for child in c.get_children():
                self.variable(child) if child.kind == K.VAR_DECL else self.declaration(child)
        elif k == K.IF_STMT:
            self.branch(c)
        elif k in LOOPS:
            self.loop(c)
        elif k == K.RETURN_STMT:
            self.returned(c)
        elif k in (K.CASE_STMT, K.DEFAULT_STMT):
            for child in list(c.get_children())[1 if k == K.CASE_STMT else 0:]:
                self.in_block(child)
        elif k.is_expression():
            self.expression(c)
        else:
            for child in c.get_children():
                if child.kind.is_statement() or child.kind.is_expression():
                    self.statement(child)
                elif child.kind == K.VAR_DECL:
                    self.variable(child)

    # A statement of a block, or a single statement instead of a block.
    def in_block(self, c):
        if c.kind.is_expression() and c.kind not in JUMPS and c.kind != K.LAMBDA_EXPR:
            self.expression_statement(c)
        self.statement(c)

    def expression_statement(self, c):
        text = self.text(c)
        if text.startswith(("(void)", "static_cast<void>", "co_", "assert")) or RESERVES.search(text):
            return
        call = re.match(r"^[\w.:>\-\[\]*()<]*?\w+\s*\(", text)
        rule = "a wait, lock or unlock left out" if call and WAITS.search(call.group(0)) else "a statement left out"
        self.left_out(rule, c)

    def variable(self, c):
        text = self.text(c)
        if re.match(r"(static|constexpr|thread_local|constinit)\b", text):
            return
        children = [x for x in c.get_children() if x.kind.is_expression() or x.kind == K.LAMBDA_EXPR]
        if LOCKS.match(text):
            m = re.search(r"[({]\s*([\w.>\-]+)\s*[)}]$", text)
            if m:
                b = c.extent.start.offset + len(text[:m.start(1)].encode())
                self.add("a wait, lock or unlock left out", "without: " + text,
                         (b, b + len(m.group(1).encode()), "::argosy_mutant::lockable(@N@, ", ")"))
            return
        for x in children:
            if self.f.text[x.extent.end.offset:x.extent.end.offset + 1] == b"]":
                continue  # an array's bound
            last = x is children[-1]
            if last and x.kind != K.INIT_LIST_EXPR and b"=" in self.f.text[c.location.offset:x.extent.start.offset]:
                kind = c.type.get_canonical().kind
                inner = self.unwrapped(x)
                if kind in INTEGERS and inner.kind != K.INTEGER_LITERAL:
                    self.bound(inner)
                elif kind == T.BOOL and inner.kind not in (K.BINARY_OPERATOR, K.CXX_BOOL_LITERAL_EXPR):
                    self.negated("a condition negated", x)
            self.expression(x)

    def head_and_rest(self, c):
        """Returns the children of an if before its closing parenthesis, and those behind it."""
        text = self.f.text
        at = text.index(b"(", c.extent.start.offset)
        depth = 0
        while True:
            if text[at] == ord("("):
                depth += 1
            elif text[at] == ord(")"):
                depth -= 1
                if depth == 0:
                    break
            at += 1
        children = list(c.get_children())
        return [x for x in children if x.extent.end.offset <= at], [x for x in children if x.extent.start.offset > at]

    def branch(self, c):
        head, rest = self.head_and_rest(c)
        if self.f.text[c.extent.start.offset:].startswith(b"if constexpr"):
            head = []
        declares = any(x.kind == K.VAR_DECL for x in head)
        for x in head:
            if x.kind.is_expression():
                if x is head[-1] and not declares:
                    self.condition(x)
                self.expression(x)
            else:
                self.statement(x) if x.kind == K.DECL_STMT else self.variable(x) if x.kind == K.VAR_DECL else None
        for i, x in enumerate(rest):
            if i == 0 and len(rest) == 1:
                jump = x
                if x.kind == K.COMPOUND_STMT:
                    inside = list(x.get_children())
                    jump = inside[-1] if len(inside) == 1 else None
                if jump is not None and jump.kind in JUMPS:
                    self.left_out("a return left out", jump)
            self.in_block(x)

    def condition(self, x):
        if self.unwrapped(x).kind == K.BINARY_OPERATOR and self.operator_of(self.unwrapped(x)) in ("==", "!="):
            return  # already broken by the rule of relations
        self.negated("a condition negated", x)

    def loop(self, c):
        children = list(c.get_children())
        body = children[0] if c.kind == K.DO_STMT else children[-1] if children else None
        for x in children:
            if x is body:
                if x.kind == K.COMPOUND_STMT and len(list(x.get_children())) > 0:
                    at = x.extent.end.offset - 1
                    if "switch" not in self.text(x):
                        self.add("an early return", "break after the first round", (at, at, "if ( ::argosy_mutant::is(@N@)) break; ", ""))
                self.in_block(x)
            elif x.kind.is_expression():
                self.expression(x)
            elif x.kind == K.VAR_DECL:
                if c.kind != K.CXX_FOR_RANGE_STMT:
                    self.variable(x)
            else:
                self.statement(x)

    def returned(self, c):
        children = list(c.get_children())
        if not children:
            return
        x = children[0]
        inner = self.unwrapped(x)
        result = self.result
        if result is not None and inner.kind != K.INIT_LIST_EXPR:
            kind = result.get_canonical().kind
            if ERRORS.match(result.spelling) and self.text(inner) not in ("{}", "std::error_code()"):
                self.left_out_value(c, x, result.spelling.replace("const ", ""))
            elif kind in INTEGERS and "error" in self.text(x):
                b, e = self.span(x)
                self.add("an error code dropped", f"{self.text(x)} -> 0", (b, e, "( ::argosy_mutant::is(@N@) ? 0 : (", "))"))
            elif kind in INTEGERS and self.kind_of(inner) in INTEGERS:
                self.bound(inner)
            elif kind == T.BOOL:
                self.condition(x)
        self.expression(x)

    def left_out_value(self, c, x, name):
        span = self.with_semicolon(c)
        if span:
            self.add("an error code dropped", f"return {{}} instead of {self.text(x)}", (*span, "{ if ( ::argosy_mutant::is(@N@)) return {}; ", " }"))

    # --- Expressions ---

    def operator_of(self, c):
        children = list(c.get_children())
        if len(children) != 2:
            return None
        between = self.f.text[children[0].extent.end.offset:children[1].extent.start.offset].decode(errors="replace")
        return re.sub(r"//.*|/\*.*?\*/", "", between).strip()

    def expression(self, c):
        k = c.kind
        if k in SKIPPED or UNEVALUATED.match(self.f.text[c.extent.start.offset:c.extent.start.offset + 12]):
            return
        if k == K.LAMBDA_EXPR:
            outer, self.result = getattr(self, "result", None), None
            for child in c.get_children():
                if child.kind == K.COMPOUND_STMT:
                    self.statement(child)
            self.result = outer
            return
        if k in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
            self.binary(c)
        elif k == K.CALL_EXPR:
            self.call(c)
        elif k == K.CONDITIONAL_OPERATOR:
            self.condition(list(c.get_children())[0])
        elif k == K.UNARY_OPERATOR:
            text = self.text(c)
            if text.startswith("-") and not text.startswith("--") and self.kind_of(c) in INTEGERS and not text[1:].isdigit():
                self.replaced("a sign", c, text[1:])
            elif text[:2] in ("++", "--"):
                self.replaced("a sign", c, ("--" if text[:2] == "++" else "++") + text[2:])
        elif k == K.INIT_LIST_EXPR:
            self.neighbours(list(c.get_children()), literals=False)
        for child in c.get_children():
            if child.kind.is_expression() or child.kind == K.LAMBDA_EXPR:
                self.expression(child)

    def binary(self, c):
        op = self.operator_of(c)
        if not op:
            return
        left, right = c.get_children()
        a, b = self.text(left), self.text(right)
        if op in RELATIONS:
            self.replaced("a relation changed", c, f"{a} {RELATIONS[op]} {b}")
            if op in ("<", "<=", ">", ">=") and self.kind_of(self.unwrapped(right)) in INTEGERS:
                self.bound_down(c, a, op, b)
        elif op in SIGNS and c.kind == K.BINARY_OPERATOR:
            if self.kind_of(left) in INTEGERS and self.kind_of(right) in INTEGERS:
                self.replaced("a sign", c, f"{a} {SIGNS[op]} {b}")
                if b == "1":
                    self.replaced("bound by one", c, a)
        elif op in SIGNS:
            if self.kind_of(left) in INTEGERS:
                self.replaced("a sign", c, f"{a} {SIGNS[op]} {b}")
        elif op in ("&&", "||"):
            self.replaced("a condition shortened", c, f"bool({a})")
            self.replaced("a condition shortened", c, f"bool({b})")
            self.replaced("a condition changed", c, f"({a}) {'||' if op == '&&' else '&&'} ({b})")
        elif op == "=":
            inner = self.unwrapped(right)
            if self.kind_of(left) in INTEGERS and self.kind_of(inner) in INTEGERS:
                self.bound(inner)
            elif self.kind_of(left) == T.BOOL and inner.kind != K.BINARY_OPERATOR:
                self.negated("a condition negated", right)

    # a < b becomes a < b - 1, the change in the other direction than `<=`.
    def bound_down(self, c, a, op, b):
        self.replaced("bound by one", c, f"{a} {op} ({b}) {'-' if op in ('<', '<=') else '+'} 1")

    def call(self, c):
        text = self.text(c)
        if RESERVES.search(text):
            return
        for one, other in (("std::min", "std::max"), ("std::max", "std::min")):
            if re.match(re.escape(one) + r"\s*[<(]", text):
                self.replaced("min for max", c, other + text[len(one):])
        if c.spelling in ("operator==", "operator!="):
            children = list(c.get_children())
            op = c.spelling[8:]
            a, b = self.text(children[0]), self.text(children[-1])
            if len(children) == 3 and text == f"{a} {op} {b}":
                self.replaced("a relation changed", c, f"{a} {RELATIONS[op]} {b}")
        arguments = [x for x in c.get_arguments() if x is not None]
        if not arguments or any(x.extent.start.offset >= x.extent.end.offset for x in arguments):
            return
        # The bound of an argument is changed only if the parameter is known to be a number by
        # value.
        callee = c.referenced
        parameters = [p for p in callee.get_arguments()] if callee is not None and callee.kind in FUNCTIONS else []
        braced = text.endswith("}")
        for x, p in zip(arguments, parameters):
            inner = self.unwrapped(x)
            if p is None or inner.kind == K.LAMBDA_EXPR:
                continue
            kind = p.type.get_canonical().kind
            if kind in INTEGERS and not braced and self.kind_of(inner) in INTEGERS and inner.kind != K.UNEXPOSED_EXPR:
                self.bound(inner)
            elif kind == T.BOOL and self.kind_of(inner) == T.BOOL and inner.kind in PLAIN:
                self.negated("a condition negated", inner)
        self.neighbours(arguments, literals=not braced)

    def neighbours(self, arguments, literals):
        for x, y in zip(arguments, arguments[1:]):
            a, b = self.unwrapped(x), self.unwrapped(y)
            if a.kind not in PLAIN or b.kind not in PLAIN or self.text(a) == self.text(b):
                continue
            if not literals and (a.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) or b.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR)):
                continue
            ta, tb = a.type.get_canonical(), b.type.get_canonical()
            if ta.kind in (T.DEPENDENT, T.INVALID, T.UNEXPOSED, T.OVERLOAD, T.FUNCTIONPROTO) or ta.spelling.replace("const ", "") != tb.spelling.replace("const ", ""):
                continue
            if ta.spelling != tb.spelling and ta.kind not in INTEGERS | {T.BOOL, T.POINTER}:
                continue
            ea, eb = self.span(a), self.span(b)
            swap = "( ::argosy_mutant::is(@N@) ? ({0}) : ("
            self.add("an argument for its neighbour", f"{self.text(a)}, {self.text(b)} -> {self.text(b)}, {self.text(a)}",
                     (*ea, swap.format(self.text(b)), "))"), (*eb, swap.format(self.text(a)), "))"))
